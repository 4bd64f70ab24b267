#include "transport/rate/first_flood.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {
namespace {

/// Fewer tell little.
constexpr std::uint64_t least_sent_of_flood = 64;
constexpr std::uint64_t least_arrived_of_flood = 16;
/// Who loses so much, of so many, meets the flood; there have to be several of them.
constexpr double much = 0.4;
constexpr std::uint64_t least_sent_by_one = 8;
/// Of the most that has come: a full link carries no less.
constexpr double as_much = 0.85;

double loss_of(std::uint64_t sent, std::uint64_t arrived) {
  return 1 - static_cast<double>(std::min(arrived, sent)) / static_cast<double>(sent);
}

}  // namespace

std::optional<FirstFlood::Seen> FirstFlood::add(const Arrival& arrival, Instant now) {
  const auto rank = static_cast<std::size_t>(arrival.peer);
  if (rank >= senders_.size()) senders_.resize(rank + 1);
  Sender& from = senders_[rank];
  const std::uint64_t sent = arrival.packets - std::exchange(from.packets, arrival.packets);
  const std::uint64_t arrived = arrival.arrived - std::exchange(from.arrived, arrival.arrived);
  from.sent_lately += sent;
  from.arrived_lately += arrived;
  sent_ += sent;
  if (arrived_ == 0) {
    begun_ = now;
  } else {
    bytes_ += static_cast<double>(arrival.bytes);
  }
  arrived_ += arrived;
  if (sent_ < least_sent_of_flood || arrived_ < least_arrived_of_flood || now <= begun_) return std::nullopt;
  return look(now);
}

std::optional<FirstFlood::Seen> FirstFlood::look(Instant now) {
  const Seen seen{loss_of(sent_, arrived_), {bytes_ / seconds(now - begun_)}};
  const auto losers = std::ranges::count_if(senders_, [](const Sender& each) {
    return each.sent_lately >= least_sent_by_one && loss_of(each.sent_lately, each.arrived_lately) > much;
  });
  for (Sender& each : senders_)
    each.sent_lately = each.arrived_lately = 0;
  sent_ = arrived_ = 0;
  bytes_ = 0;
  const bool full = seen.carried.value >= as_much * carried_.value() && carried_.value() > 0;
  carried_.add(seen.carried.value, now);
  return full && losers >= several ? std::optional(seen) : std::nullopt;
}

}  // namespace lbsp::transport
