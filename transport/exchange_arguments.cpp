#include "transport/exchange_arguments.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "transport/counted.hpp"
#include "transport/error.hpp"

namespace lbsp::transport {

void check_outgoing(const std::vector<Bytes>& outgoing, Rank size) {
  if (outgoing.size() == static_cast<std::size_t>(size)) return;
  throw UsageError(
      fmt::format("{} messages for {} ranks: give one per rank, empty if need be", outgoing.size(), size));
}

void check_ranks(const std::vector<Rank>& ranks, Rank own, Rank size) {
  std::vector<bool> seen(static_cast<std::size_t>(size));
  for (const Rank rank : ranks) {
    if (rank < 0 || rank >= size)
      throw UsageError(fmt::format("rank {} of {}: choose 0 to {}", rank, size, size - 1));
    if (rank == own) throw UsageError(fmt::format("rank {} names itself: leave it out", rank));
    if (seen[static_cast<std::size_t>(rank)])
      throw UsageError(fmt::format("rank {} stands twice: name it once", rank));
    seen[static_cast<std::size_t>(rank)] = true;
  }
}

void check_early(const EarlyMessages& messages, std::uint32_t most, Rank own, Rank size) {
  check_outgoing(messages.outgoing, size);
  check_ranks(messages.destinations, own, size);
  if (messages.supersteps >= 1 && messages.supersteps <= most) return;
  throw UsageError(fmt::format("messages are sent {} before they are awaited: choose 1 to {}",
                               counted(messages.supersteps, "superstep"), most));
}

void refuse_message(Rank from, Rank to, std::uint64_t bytes, std::uint64_t superstep,
                    std::uint64_t ceiling_bytes) {
  throw MessageTooLarge(
      fmt::format("rank {} sends {} bytes to rank {} in superstep {}, the ceiling is {}: send less per "
                  "superstep, or raise --max-message",
                  from, bytes, to, superstep, ceiling_bytes));
}

void MessageCeiling::check(Rank to, std::uint64_t bytes, std::uint64_t superstep) const {
  const std::uint64_t all = bytes + offered_[static_cast<std::size_t>(to)];
  if (all > bytes_) refuse_message(self_, to, all, superstep, bytes_);
}

void MessageCeiling::offer(Rank to, std::uint64_t bytes, std::uint64_t superstep) {
  offered_[static_cast<std::size_t>(to)] += bytes;
  any_offered_ = true;
  check(to, 0, superstep);
}

void MessageCeiling::forget_offers() {
  if (std::exchange(any_offered_, false)) std::ranges::fill(offered_, 0);
}

}  // namespace lbsp::transport
