#include "transport/core/address_checks.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "transport/wire/format.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Duration first_between_questions = 100ms;
constexpr Duration longest_between_questions = 1s;

}  // namespace

void AddressChecks::ask(Rank peer, bool anew, Instant now) {
  Check& check = checks_[peer];
  if (check.asked == 0 || anew) check.asked = ++questions_;
  if (now < check.not_before || check.ask) return;
  check.wait = std::clamp(2 * check.wait, first_between_questions, longest_between_questions);
  check.not_before = now + check.wait;
  check.ask = true;
  waiting_.push_back(peer);
}

bool AddressChecks::take(const Peer& from, WireReader& in) {
  const auto header = read_address_header(in);
  if (!header) return false;
  if (!header->answer) {
    checks_[from.rank].answer = header->number;
    waiting_.push_back(from.rank);
    return true;
  }
  const auto open = checks_.find(from.rank);
  if (open == checks_.end() || open->second.asked != header->number) return true;
  open->second.asked = 0;
  open->second.wait = Duration{0};
  open->second.not_before = Instant{};
  confirmed_.push_back(from.rank);
  return true;
}

std::vector<Rank> AddressChecks::take_confirmed() {
  return std::exchange(confirmed_, {});
}

const Transmit* AddressChecks::next(std::span<std::byte> buffer, Instant now) {
  while (!waiting_.empty()) {
    Check& check = checks_[waiting_.back()];
    Peer& to = state_.peers[waiting_.back()];
    const auto write_it = [&](AddressHeader header, Whereto whereto) {
      return &writer_.write_question(
          to, DatagramKind::address, buffer, now, [&](WireWriter& out) { write(out, header); }, whereto);
    };
    if (const auto answer = std::exchange(check.answer, std::nullopt))
      return write_it({true, *answer}, Whereto::newest);
    if (std::exchange(check.ask, false)) return write_it({false, check.asked}, Whereto::asked);
    waiting_.pop_back();
  }
  return nullptr;
}

}  // namespace lbsp::transport
