// What the variants send, counted three ways: by outline(), by the runs themselves, and by the model.
#include "lbsp/collectives/outline.hpp"

#include <gtest/gtest.h>
#include <mutex>
#include <vector>

#include "lbsp/collectives/all_gather.hpp"
#include "lbsp/collectives/broadcast.hpp"
#include "lbsp/collectives/choice.hpp"
#include "lbsp/collectives/reduce.hpp"
#include "lbsp/collectives/scan.hpp"
#include "model/paper/workloads.hpp"
#include "tests/support/run_ranks.hpp"
#include "tests/transport/udp/udp_cluster.hpp"
#include "transport/wire/format.hpp"

namespace lbsp {
namespace {

const std::uint64_t segment_bytes = CollectiveNetwork{}.datagram_bytes - transport::data_overhead_bytes;

std::uint64_t segments(std::uint64_t bytes) {
  return (bytes + segment_bytes - 1) / segment_bytes;
}

struct Count {
  std::uint64_t supersteps = 0;
  std::uint64_t segments = 0;  ///< that all ranks together sent for the first time
  friend bool operator==(const Count&, const Count&) = default;
};

void PrintTo(const Count& count, std::ostream* out) {
  *out << count.supersteps << " supersteps, " << count.segments << " segments";
}

std::uint64_t pairs_of(Rank ranks) {
  return static_cast<std::uint64_t>(ranks) * (static_cast<std::uint64_t>(ranks) - 1);
}

/// Over UDP without loss and with one copy. Counted to the end, since a rank may leave a superstep while the
/// last of what it sends in it is still queued; the empty messages of the end are left out again.
Count run_and_count(Rank ranks, const test::Program& program) {
  Count count;
  std::mutex mutex;
  transport::UdpCluster(ranks).run_well([&](transport::UdpExchange& exchange) {
    World world(exchange);
    program(world);
    world.finish();
    const std::lock_guard lock(mutex);
    const auto& traffic = world.history().totals().traffic;
    count.supersteps = world.history().supersteps();
    count.segments += traffic.segments_sent - traffic.segments_resent;
  });
  count.segments -= pairs_of(ranks);
  return count;
}

/// A message of each pair that has something to say, and an empty one of each that has not.
Count counted_by(const std::vector<SuperstepOutline>& outline, Rank ranks) {
  Count count{outline.size(), outline.size() * pairs_of(ranks)};
  for (const SuperstepOutline& step : outline)
    count.segments += step.messages * (segments(step.bytes + collective_overhead_bytes) - 1);
  return count;
}

/// A contribution such that the messages of all variants are well away from a segment's end: 3 and 4 ranks
/// cut it evenly, and the first superstep's longer heads make no further segment.
constexpr std::size_t elements = 2880;
constexpr std::uint64_t bytes = elements * sizeof(double);

template <class Variant, class Program>
void expect_as_outlined(std::initializer_list<Variant> variants, const Program& program) {
  for (const Rank ranks : {2, 3, 4, 6}) {
    for (const Variant how : variants) {
      const Count count = run_and_count(ranks, [&](World& world) {
        std::vector<double> values(elements, 1.5);
        program(world, values, how);
      });
      EXPECT_EQ(count, counted_by(outline(how, bytes, ranks), ranks))
          << "variant " << static_cast<int>(how) << " on " << ranks << " ranks";
    }
  }
}

TEST(CollectiveOutlines, are_what_a_broadcast_sends) {
  using enum Broadcast;
  expect_as_outlined({direct, binomial_tree, two_phase},
                     [](World& world, auto& values, Broadcast how) { broadcast(world, values, 1, how); });
  for (const Rank ranks : {2, 4}) {
    const Count count = run_and_count(ranks, [](World& world) {
      std::vector<double> values(elements);
      broadcast(world, values, 1, van_de_geijn);
    });
    EXPECT_EQ(count, counted_by(outline(van_de_geijn, bytes, ranks), ranks));
  }
}

TEST(CollectiveOutlines, are_what_an_all_gather_sends) {
  using enum AllGather;
  expect_as_outlined({direct, ring, recursive_doubling, bruck},
                     [](World& world, auto& values, AllGather how) { all_gather(world, values, how); });
}

TEST(CollectiveOutlines, are_what_a_reduction_sends) {
  expect_as_outlined({Reduce::direct, Reduce::binomial_tree, Reduce::two_phase},
                     [](World& world, auto& values, Reduce how) {
                       reduce(world, values, std::plus{}, world.size() - 1, how);
                     });
  expect_as_outlined(
      {AllReduce::direct, AllReduce::recursive_doubling, AllReduce::two_phase},
      [](World& world, auto& values, AllReduce how) { all_reduce(world, values, std::plus{}, how); });
}

TEST(CollectiveOutlines, are_what_a_scan_sends) {
  expect_as_outlined({Scan::direct, Scan::recursive_doubling}, [](World& world, auto& values, Scan how) {
    inclusive_scan(world, values, std::plus{}, how);
  });
}

/// The packets of the model's steps, one by one.
std::vector<std::uint64_t> packets_of(const model::paper::Workload& workload) {
  std::vector<std::uint64_t> packets;
  for (const auto& step : workload.steps)
    packets.insert(packets.end(), static_cast<std::size_t>(step.times),
                   static_cast<std::uint64_t>(step.packets));
  return packets;
}

std::vector<std::uint64_t> packets_of(const std::vector<SuperstepOutline>& outline) {
  std::vector<std::uint64_t> packets;
  packets.reserve(outline.size());
  for (const auto& step : outline)
    packets.push_back(step.messages * segments(step.bytes));
  return packets;
}

TEST(CollectiveOutlines, have_the_packets_that_the_model_counts) {
  const auto size = static_cast<double>(segment_bytes);
  for (const Rank ranks : {1, 2, 3, 4, 5, 8, 11, 16, 64}) {
    for (const std::uint64_t message : {1UL, 5000UL, 1UL << 20}) {
      const auto b = static_cast<double>(message);
      EXPECT_EQ(packets_of(outline(Broadcast::binomial_tree, message, ranks)),
                packets_of(model::paper::binomial_broadcast(b, ranks, size)));
      EXPECT_EQ(packets_of(outline(AllGather::ring, message, ranks)),
                packets_of(model::paper::ring_allgather(b, ranks, size)));
      EXPECT_EQ(packets_of(outline(AllGather::bruck, message, ranks)),
                packets_of(model::paper::bruck_allgather(b, ranks, size)));
    }
  }
  for (const Rank ranks : {2, 4, 16, 64}) {
    EXPECT_EQ(packets_of(outline(Broadcast::van_de_geijn, 1 << 20, ranks)),
              packets_of(model::paper::van_de_geijn_broadcast(1 << 20, ranks, size)));
    EXPECT_EQ(packets_of(outline(AllGather::recursive_doubling, 5000, ranks)),
              packets_of(model::paper::recursive_doubling_allgather(5000, ranks, size)));
  }
}

TEST(CollectiveChoice, is_direct_while_a_delay_costs_more_than_the_bytes) {
  EXPECT_EQ(best_broadcast(8, 16), Broadcast::direct);
  EXPECT_EQ(best_reduce(8, 16), Reduce::direct);
  EXPECT_EQ(best_all_reduce(8, 16), AllReduce::direct);
  EXPECT_EQ(best_scan(8, 16), Scan::direct);
}

TEST(CollectiveChoice, cuts_long_messages_up) {
  EXPECT_EQ(best_broadcast(64 << 20, 16), Broadcast::two_phase);
  EXPECT_EQ(best_reduce(64 << 20, 16), Reduce::two_phase);
  EXPECT_EQ(best_all_reduce(64 << 20, 16), AllReduce::two_phase);
  EXPECT_EQ(best_scan(64 << 20, 16), Scan::recursive_doubling);
}

TEST(CollectiveChoice, follows_the_network) {
  constexpr std::uint64_t message = 1 << 20;
  EXPECT_EQ(best_broadcast(message, 8, {.round_trip_seconds = 0.01}), Broadcast::two_phase);
  EXPECT_EQ(best_broadcast(message, 8, {.round_trip_seconds = 3}), Broadcast::direct);
}

TEST(CollectiveChoice, has_the_least_expected_time) {
  for (const Rank ranks : {2, 3, 8, 50}) {
    for (const std::uint64_t message : {0UL, 1000UL, 100'000UL, 10'000'000UL}) {
      const auto seconds = [&](Broadcast how) {
        return expected_seconds(outline(how, message, ranks), ranks);
      };
      const double best = seconds(best_broadcast(message, ranks));
      for (const Broadcast how :
           {Broadcast::direct, Broadcast::binomial_tree, Broadcast::van_de_geijn, Broadcast::two_phase})
        EXPECT_LE(best, seconds(how));
      EXPECT_EQ(best_all_gather(message, ranks), AllGather::direct);
    }
  }
}

TEST(CollectiveChoice, costs_nothing_on_one_rank) {
  EXPECT_EQ(expected_seconds(outline(best_broadcast(1000, 1), 1000, 1), 1), 0);
}

TEST(CollectiveNetwork, that_was_measured_is_the_same_on_all_ranks) {
  std::vector<CollectiveNetwork> networks(3);
  transport::UdpCluster(3, "loss=10%,rtt=10ms").run_well([&](transport::UdpExchange& exchange) {
    World world(exchange);
    for (int i = 0; i < 30; ++i)
      world.sync();
    networks[static_cast<std::size_t>(world.rank())] = measured_network(world);
    world.finish();
  });
  for (const CollectiveNetwork& network : networks) {
    EXPECT_EQ(network.loss, networks[0].loss);
    EXPECT_EQ(network.round_trip_seconds, networks[0].round_trip_seconds);
    EXPECT_EQ(network.bytes_per_second, networks[0].bytes_per_second);
    EXPECT_GE(network.round_trip_seconds, 0.01);
  }
}

}  // namespace
}  // namespace lbsp
