#include "transport/path_log.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lbsp::transport {
namespace {

/// Of a round trip or a rate: what is nearer to what was added last says nothing new.
constexpr double new_share = 1.0 / 16;

bool is_near(double one, double other) {
  return std::abs(one - other) <= new_share * std::max(one, other);
}

double count_of(Duration duration) {
  return static_cast<double>(duration.count());
}

}  // namespace

PathLog::PathLog(Rank size, std::size_t most_events)
    : ring_(most_events),
      counts_(static_cast<std::size_t>(size)),
      measured_(most_events > 0 ? static_cast<std::size_t>(size) : 0) {
  for (Rank rank = 0; rank < size; ++rank)
    counts_[static_cast<std::size_t>(rank)].peer = rank;
}

void PathLog::add(const PathEvent& event) {
  if (ring_.empty()) return;
  const std::lock_guard lock(mutex_);
  put(event);
}

void PathLog::add_measured(const PathEvent& event) {
  if (ring_.empty()) return;
  const std::lock_guard lock(mutex_);
  Measured& last = measured_[static_cast<std::size_t>(event.peer)];
  if (is_near(count_of(last.round_trip), count_of(event.round_trip)) &&
      is_near(count_of(last.least), count_of(event.least)) && is_near(last.rate.value, event.rate.value))
    return;
  last = {event.round_trip, event.least, event.rate};
  put(event);
}

void PathLog::put(const PathEvent& event) {
  ring_[added_ % ring_.size()] = event;
  ++added_;
}

void PathLog::count(const PathCounts& counts) {
  const std::lock_guard lock(mutex_);
  counts_[static_cast<std::size_t>(counts.peer)] = counts;
}

std::vector<PathEvent> PathLog::events() const {
  const std::lock_guard lock(mutex_);
  std::vector<PathEvent> out;
  const std::uint64_t first = added_ - std::min<std::uint64_t>(added_, ring_.size());
  out.reserve(added_ - first);
  for (std::uint64_t i = first; i < added_; ++i)
    out.push_back(ring_[i % ring_.size()]);
  return out;
}

std::uint64_t PathLog::dropped() const {
  const std::lock_guard lock(mutex_);
  return added_ - std::min<std::uint64_t>(added_, ring_.size());
}

std::vector<PathCounts> PathLog::counts() const {
  const std::lock_guard lock(mutex_);
  std::vector<PathCounts> out;
  std::ranges::copy_if(counts_, std::back_inserter(out),
                       [](const PathCounts& each) { return each.datagrams > 0; });
  return out;
}

}  // namespace lbsp::transport
