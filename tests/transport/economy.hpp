#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "transport/messages/outgoing_message.hpp"
#include "transport/simulated/network.hpp"

namespace lbsp::transport::testing {

/// What a job in the simulated network cost, against what it had to move: waste does not make an answer
/// wrong, so nothing but figures shows it.
class Economy {
 public:
  /// A message that a rank begins to send.
  void handed_over(std::size_t bytes, std::size_t datagram_bytes) {
    needed_ += segments_of(bytes, datagram_bytes - data_overhead_bytes);
    ++messages_;
  }
  void supersteps_over(Duration elapsed, std::uint32_t supersteps) {
    supersteps_ = elapsed;
    per_superstep_ = elapsed / supersteps;
  }
  void ended(const SimulatedNetwork& network, Duration elapsed) {
    elapsed_ = elapsed;
    for (Rank rank = 0; rank < network.size(); ++rank) {
      const TrafficCounters& counters = network.endpoint(rank).counters();
      traffic_ += counters;
      busiest_ = std::max(busiest_, counters.wire_bytes_sent);
    }
    wake_ups_ = network.wake_ups();
  }

  std::uint64_t datagrams() const { return traffic_.datagrams_sent; }
  /// Everything but data: reports, acknowledgements of rounds, FIN.
  std::uint64_t reports() const { return traffic_.datagrams_sent - traffic_.segments_sent; }
  std::uint64_t repairs() const { return traffic_.segments_resent; }
  std::uint64_t planned() const { return traffic_.segments_sent - traffic_.segments_resent; }
  /// What was sent and did not arrive, or not whole.
  std::uint64_t lost() const { return traffic_.datagrams_sent - traffic_.datagrams_received; }
  std::uint64_t wake_ups() const { return wake_ups_; }
  std::uint64_t busiest_rank_bytes() const { return busiest_; }
  Duration elapsed() const { return elapsed_; }
  Duration per_superstep() const { return per_superstep_; }
  Duration ending() const { return elapsed_ - supersteps_; }

  /// What every scenario must keep, whatever the network does; over a thousand seeds each bound is a sixth
  /// above the worst:
  ///  - three repairs for what the network lost, and seven for each pair: a repair goes out twice or thrice
  ///    while few are to be repaired, and of what is lost something is itself a repair or a report;
  ///  - at most 1.35 reports for a segment that was sent, besides `idle` ones: those of pairs that had nothing
  ///    to move for a while (keepalives, and one more for each message and end);
  ///  - no more wake-ups than 1.25 for each datagram, sent or received.
  void expect_no_waste(Rank size) const {
    const auto pairs = static_cast<double>(size * (size - 1));
    const auto seconds = std::chrono::duration<double>(elapsed_).count();
    const double idle = static_cast<double>(messages_) + pairs * (seconds + 12);
    const auto datagrams = static_cast<double>(traffic_.datagrams_sent + traffic_.datagrams_received);
    EXPECT_LE(static_cast<double>(repairs()), 3 * static_cast<double>(lost()) + 7 * pairs) << text();
    EXPECT_LE(static_cast<double>(reports()), 1.35 * static_cast<double>(traffic_.segments_sent) + idle)
        << text();
    EXPECT_LE(static_cast<double>(wake_ups_), 1.25 * datagrams) << text();
  }

  std::string text() const {
    const auto seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
    return fmt::format(
        "needed {} planned {} repairs {} lost {} reports {} wake-ups {} per superstep {:.4f} s, end {:.4f} s",
        needed_, planned(), repairs(), lost(), reports(), wake_ups_, seconds(per_superstep_),
        seconds(ending()));
  }

 private:
  std::uint64_t needed_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t wake_ups_ = 0;
  std::uint64_t busiest_ = 0;
  TrafficCounters traffic_;
  Duration supersteps_{0};
  Duration per_superstep_{0};
  Duration elapsed_{0};
};

}  // namespace lbsp::transport::testing
