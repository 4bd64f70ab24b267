#include "transport/core/address_checks.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "transport/wire/format.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr int early_questions = 2;     ///< about each kind
constexpr std::size_t most_open = 16;  ///< a second and more of them

constexpr Duration first_between_questions = 100ms;
constexpr Duration longest_between_questions = 1s;
constexpr int often_asked = 20;  ///< questions that waited, from which on they wait ever longer
/// Who asked nothing for so long begins anew.
constexpr Duration forgets_after = 10s;

Duration before_next(int late) {
  const int doublings = std::clamp(late - often_asked + 1, 0, 4);
  return std::min(first_between_questions * (1 << doublings), longest_between_questions);
}

}  // namespace

std::optional<std::uint32_t> AddressChecks::ask(Rank peer, bool anew, bool copy, Instant now) {
  Check& check = checks_[peer];
  if (!may_ask(check, anew, copy, now)) return std::nullopt;
  check.not_before = now + before_next(check.late);
  check.about_copy = copy;
  check.other_kind_came = false;
  check.unsent = true;
  if (check.open.size() == most_open) check.open.erase(check.open.begin());
  check.open.push_back(++questions_);
  waiting_.push_back(peer);
  return questions_;
}

/// If so, it is counted.
bool AddressChecks::may_ask(Check& check, bool anew, bool copy, Instant now) {
  if (copy != check.about_copy) check.other_kind_came = true;
  if (check.unsent) return false;
  if (now >= check.not_before + forgets_after) {
    check.early = {};
    check.late = 0;
  }
  int& early = check.early[copy ? 1 : 0];
  if (anew && early < early_questions) {
    ++early;
    return true;
  }
  const bool in_turn = copy != check.about_copy || !check.other_kind_came;
  if (now < check.not_before || !in_turn) return false;
  ++check.late;
  return true;
}

void AddressChecks::rest(Rank peer) {
  const auto check = checks_.find(peer);
  if (check != checks_.end()) check->second.open.clear();
}

bool AddressChecks::asks(Rank peer) const {
  const auto check = checks_.find(peer);
  return check != checks_.end() && !check->second.open.empty();
}

bool AddressChecks::take(const Peer& from, WireReader& in) {
  const auto header = read_address_header(in);
  if (!header) return false;
  if (!header->answer) {
    // Who copies a question, and is faster, has the answer to where it came from. The other one needs no answer mostly.
    owed_.push_back({from.rank, header->number, Whereto::known});
    owed_.push_back({from.rank, header->number, Whereto::newest});
    return true;
  }
  const auto check = checks_.find(from.rank);
  if (check == checks_.end() || std::ranges::count(check->second.open, header->number) == 0) return true;
  checks_.erase(check);
  answers_.push_back({from.rank, header->number});
  return true;
}

std::vector<AddressAnswer> AddressChecks::take_answers() {
  return std::exchange(answers_, {});
}

const Transmit* AddressChecks::next(std::span<std::byte> buffer, Instant now) {
  const auto write_it = [&](Rank to, AddressHeader header, Whereto whereto) {
    return &writer_.write_question(
        state_.peers[to], DatagramKind::address, buffer, now, [&](WireWriter& out) { write(out, header); },
        whereto);
  };
  if (!owed_.empty()) {
    const Owed owed = owed_.back();
    owed_.pop_back();
    return write_it(owed.to, {true, owed.number}, owed.whereto);
  }
  while (!waiting_.empty()) {
    const Rank peer = waiting_.back();
    waiting_.pop_back();
    const auto check = checks_.find(peer);
    if (check == checks_.end() || !std::exchange(check->second.unsent, false)) continue;
    if (check->second.open.empty()) continue;
    return write_it(peer, {false, check->second.open.back()}, Whereto::asked);
  }
  return nullptr;
}

}  // namespace lbsp::transport
