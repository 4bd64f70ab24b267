#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Short messages before queues that are hardly longer, at a rate that nobody has told, or that was told too high:
/// copies that are sent for what these queues drop would be dropped, too, and make it more.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

enum class Pattern { ring, gather, all_to_all };

struct Network {
  Pattern pattern;
  std::size_t message_bytes;
  double megabits;
  std::uint64_t queue_bytes;
  const char* wan;
  double times_as_long;   ///< at the most, as the bytes and half a round trip take
  double bytes_per_byte;  ///< at the most, on the wire
  double told = 0;        ///< Mbit/s; 0: nobody has
  Rank size = 4;
};

std::string name_of_network(const ::testing::TestParamInfo<Network>& info) {
  const char* const names[] = {"ring", "gather", "all_to_all"};
  std::string name = fmt::format(
      "{}_of_{}_{}_bytes_{}_{}_told_{}", names[static_cast<int>(info.param.pattern)], info.param.size,
      info.param.message_bytes, info.param.megabits, info.param.wan, info.param.told);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class ShortQueue : public ::testing::TestWithParam<Network> {
 protected:
  static constexpr std::size_t supersteps = 60;

  /// `longer`: the queue, in parts.
  static SimulationConfig config(double longer = 0) {
    SimulationConfig config = planned_job(GetParam().size, GetParam().wan, GetParam().told);
    config.options.datagram_bytes = 1472;
    give_uplinks(config,
                 {megabits_per_second(GetParam().megabits),
                  static_cast<std::uint64_t>((1 + longer) * static_cast<double>(GetParam().queue_bytes))});
    return config;
  }

  static std::size_t bytes_of(Rank from, Rank to) {
    constexpr std::size_t little = 20;
    switch (GetParam().pattern) {
      case Pattern::ring:
        return to == (from + 1) % GetParam().size ? GetParam().message_bytes : little;
      case Pattern::gather:
        return to == 0 ? GetParam().message_bytes : little;
      case Pattern::all_to_all:
        break;
    }
    return GetParam().message_bytes;
  }

  static double least_seconds() {
    const Network& network = GetParam();
    const double messages = network.pattern == Pattern::all_to_all ? network.size - 1 : 1;
    return seconds(config().wan.round_trip_time) / 2 + messages * static_cast<double>(network.message_bytes) /
                                                           megabits_per_second(network.megabits).value;
  }
};

/// Means over queues that are nearly alike: some bytes more or less decide which datagrams are dropped.
TEST_P(ShortQueue, is_not_filled_with_copies_for_what_it_drops) {
  constexpr int queues = 5;
  double mean_seconds = 0;
  double wire = 0;
  for (int i = 0; i < queues; ++i) {
    RunningJob job(config(0.004 * i), bytes_of);
    SharedTime time;
    time.add(job);
    time.run_until([&] { return job.supersteps() >= supersteps; }, start + 600s);
    ASSERT_GE(job.supersteps(), supersteps);
    const TrafficCounters traffic = job.traffic();
    mean_seconds += job.mean_seconds(0) / queues;
    wire += static_cast<double>(traffic.wire_bytes_sent) / static_cast<double>(traffic.payload_bytes_sent) /
            queues;
  }
  EXPECT_LT(mean_seconds, GetParam().times_as_long * least_seconds());
  EXPECT_LT(wire, GetParam().bytes_per_byte);
}

/// Without a bound: 1.2 to 2.1 times as long, and 3.2 to 8.7 bytes for one.
INSTANTIATE_TEST_SUITE_P(
    Networks, ShortQueue,
    ::testing::Values(Network{Pattern::ring, 10'000, 10, 12 << 10, "rtt=40ms", 1.1, 2},
                      Network{Pattern::gather, 10'000, 10, 12 << 10, "rtt=40ms", 1.1, 2},
                      Network{Pattern::ring, 10'000, 10, 12 << 10, "rtt=60ms,loss=10%", 1.2, 4},
                      Network{Pattern::gather, 10'000, 1, 16 << 10, "rtt=60ms", 1.3, 2},
                      Network{Pattern::all_to_all, 20'000, 10, 50 << 10, "rtt=40ms", 1.1, 1.5},
                      Network{Pattern::all_to_all, 10'000, 5, 32 << 10, "rtt=60ms", 1.15, 1.65},
                      Network{Pattern::all_to_all, 10'000, 5, 64 << 10, "rtt=40ms,loss=10%,jitter=5ms", 1.8,
                              2.6},
                      Network{Pattern::all_to_all, 10'000, 1, 16 << 10, "rtt=60ms", 1.6, 1.8},
                      Network{Pattern::ring, 10'000, 10, 12 << 10, "rtt=40ms", 1.1, 2.6, 100},
                      Network{Pattern::gather, 10'000, 10, 12 << 10, "rtt=40ms", 1.1, 2, 50},
                      Network{Pattern::all_to_all, 20'000, 10, 50 << 10, "rtt=40ms", 1.1, 1.5, 100},
                      Network{Pattern::all_to_all, 20'000, 10, 50 << 10, "rtt=40ms", 1.1, 1.3, 20},
                      Network{Pattern::ring, 3000, 20, 3750, "rtt=5ms", 1.5, 7.5},
                      Network{Pattern::all_to_all, 1000, 5, 12'500, "rtt=40ms", 1.4, 4, 0, 8},
                      Network{Pattern::all_to_all, 1000, 5, 12'500, "rtt=40ms", 1.4, 4.5, 50, 8}),
    name_of_network);

}  // namespace
}  // namespace lbsp::plan
