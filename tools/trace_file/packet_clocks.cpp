#include "tools/trace_file/packet_clocks.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace lbsp::trace_file {
namespace {

constexpr double never_heard = std::numeric_limits<double>::infinity();

/// How long, at least, from the sending of a datagram until it came, each by its rank's own clock.
double least_passage(const Trace& trace, Rank from, Rank to) {
  std::unordered_map<std::uint64_t, double> sent;
  for (const PacketEvent& event : trace.packets[static_cast<std::size_t>(from)].events)
    if (event.peer == to && event.what == PacketWhat::sent) sent.emplace(event.number, event.at);
  double least = never_heard;
  for (const PacketEvent& event : trace.packets[static_cast<std::size_t>(to)].events) {
    if (event.peer != from || event.what != PacketWhat::received) continue;
    if (const auto found = sent.find(event.number); found != sent.end())
      least = std::min(least, event.at - found->second);
  }
  return least;
}

}  // namespace

ClockShift align(const Trace& trace, Rank first, Rank second) {
  const double there = least_passage(trace, first, second);
  const double back = least_passage(trace, second, first);
  if (there == never_heard || back == never_heard) return {0, never_heard};
  return {(back - there) / 2, std::max(0.0, (back + there) / 2)};
}

}  // namespace lbsp::trace_file
