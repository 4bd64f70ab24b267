#include "transport/core/address_checks.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "transport/wire/format.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_open = 16;  ///< a second and more of them
constexpr int scarce = 4;              ///< so many left are for addresses that are heard often
constexpr Duration between_questions = 100ms;
constexpr Duration one_more_after = 1s;

}  // namespace

std::optional<std::uint32_t> AddressChecks::ask(Rank peer, Elsewhere where, Instant now) {
  Check& check = checks_[peer];
  if (check.unsent || !take_from(check.budgets[where.copy ? 1 : 0], where, now)) return std::nullopt;
  check.unsent = true;
  if (check.open.size() == most_open) check.open.erase(check.open.begin());
  check.open.push_back(++questions_);
  waiting_.push_back(peer);
  return questions_;
}

/// Whether a question may be asked, which then counts.
bool AddressChecks::take_from(Budget& budget, Elsewhere where, Instant now) {
  if (budget.left == all_at_once) budget.filled = now;
  const auto more = (now - budget.filled) / one_more_after;
  budget.filled += more * one_more_after;
  budget.left = static_cast<int>(std::min<std::int64_t>(all_at_once, budget.left + more));
  if (budget.left == 0 || (budget.left <= scarce && !where.repeated)) return false;
  const bool at_once = where.anew && budget.left >= all_at_once - 1;
  if (now < budget.not_before && !at_once) return false;
  --budget.left;
  budget.not_before = now + between_questions;
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
