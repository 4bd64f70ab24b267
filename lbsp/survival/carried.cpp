#include "lbsp/survival/carried.hpp"

#include <cerrno>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp {
namespace {

constexpr const char* for_kept_states =
    "--checkpoint and --restart are for programs that keep the states of their ranks: give Steps a Keep, or leave the "
    "options out";

}  // namespace

void Carried::note(transport::WorldChange change) {
  boundary_ = change.boundary;
  roster_.change_to(std::move(change));
}

void Carried::come_to(transport::WorldChange change) {
  keeping_.store.come_to(change.boundary);
  note(std::move(change));
}

void Carried::change_to(transport::WorldChange change) {
  const std::uint64_t boundary = change.boundary;
  note(std::move(change));
  if (admits_) return;
  if (keeping_.store.used()) return keeping_.store.change_to(boundary);
  saved_.go_on_from(boundary);
}

void Carried::check(std::uint64_t number) const {
  if (!survival_.checkpoint.empty() || !survival_.restart.empty()) throw UsageError(for_kept_states);
  if (admits_) throw UsageError(saves_and_admits);
  if (keeping_.store.used()) throw UsageError(keeps_twice);
  saved_.check(number);
}

void Carried::save(std::uint64_t number, std::any state, std::uint64_t superstep) {
  check(number);
  saved_.save(number, std::move(state), superstep);
}

void Carried::begin_keeping(Rank self, Rank size) {
  if (admits_) throw UsageError(saves_and_admits);
  if (saved_.any()) throw UsageError(keeps_twice);
  keeps_.set();
  keeping_.store.begin_world(self, {roster_.epoch(), roster_.members(size)}, roster_.hosts_by_slot(),
                             survival_.outlives_ranks ? survival_.hosts_at_once : 0);
}

checkpoint::ProgramName Carried::program() const {
  return checkpoint::program_name(survival_.program.empty() ? program_invocation_short_name
                                                            : survival_.program);
}

void Carried::require_kept() const {
  if (lacks_states()) throw UsageError(for_kept_states);
}

double Carried::between_failures(Rank size) const {
  return survival_.host_mtbf.count() / static_cast<double>(roster_.count_hosts(size));
}

double Carried::seconds() const {
  if (survival_.seconds) return survival_.seconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace lbsp
