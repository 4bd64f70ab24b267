#include "lbsp/survival/carried.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <utility>

#include "transport/error.hpp"

namespace lbsp {
namespace {

constexpr const char* for_kept_states =
    "--checkpoint and --restart are for programs that keep the states of their ranks: give Steps a Keep, or leave the "
    "options out";

}  // namespace

void Carried::note(transport::WorldChange change) {
  for (const Rank slot : change.seated)
    seated_in_[slot] = change.epoch;
  if (!change.hosts.empty()) survival_.hosts = change.hosts;
  boundary_ = change.boundary;
  change_ = std::move(change);
}

void Carried::come_to(transport::WorldChange change) {
  store_.come_to(change.boundary);
  note(std::move(change));
}

void Carried::change_to(transport::WorldChange change) {
  const std::uint64_t boundary = change.boundary;
  note(std::move(change));
  if (admits_) return;
  if (store_.used()) return store_.change_to(boundary);
  saved_.go_on_from(boundary);
}

void Carried::check(std::uint64_t number) const {
  if (!survival_.checkpoint.empty() || !survival_.restart.empty()) throw UsageError(for_kept_states);
  if (admits_) throw UsageError(saves_and_admits);
  if (store_.used()) throw UsageError(keeps_twice);
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
  store_.begin_world(self, {change_ ? change_->epoch : 0, members(size)}, survival_.hosts,
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
  std::set<std::uint16_t> hosts;
  for (const Rank member : members(size))
    if (!survival_.hosts.empty()) hosts.insert(survival_.hosts[static_cast<std::size_t>(member)]);
  const auto count = hosts.size() > 1 ? hosts.size() : static_cast<std::size_t>(size);
  return survival_.host_mtbf.count() / static_cast<double>(count);
}

double Carried::seconds() const {
  if (survival_.seconds) return survival_.seconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<bool> Carried::newer_than(std::uint32_t epoch) const {
  std::vector<bool> newer;
  if (!change_) return newer;
  for (const Rank slot : change_->members) {
    const auto seated = seated_in_.find(slot);
    newer.push_back(seated != seated_in_.end() && seated->second > epoch);
  }
  return newer;
}

std::vector<Rank> Carried::members(Rank size) const {
  if (change_) return change_->members;
  std::vector<Rank> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), Rank{0});
  return all;
}

}  // namespace lbsp
