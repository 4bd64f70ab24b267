#include <cmath>
#include <gtest/gtest.h>
#include <mutex>
#include <random>
#include <vector>

#include "algorithms/bitonic_sort.hpp"
#include "algorithms/sort_verification.hpp"
#include "model/paper/workloads.hpp"
#include "tests/transport/udp/udp_cluster.hpp"

namespace lbsp::algorithms {
namespace {

std::vector<double> random_keys(Rank rank, std::size_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
  std::vector<double> keys(count);
  for (double& key : keys)
    key = std::normal_distribution()(random);
  return keys;
}

/// Three to twelve datagrams in a block, and different numbers of keys on the ranks.
void expect_sorted_over(std::string_view wan, Rank ranks, int copies) {
  transport::UdpCluster cluster(ranks, wan);
  cluster.job.options.copies = copies;
  cluster.run_well([&](transport::UdpExchange& exchange) {
    World world(exchange);
    for (const std::size_t count : {501UL, 2003UL}) {
      auto own = random_keys(world.rank(), count - static_cast<std::size_t>(world.rank()));
      const SortCheck before = check_sorted<double>(world, own, SortOrder::ascending);
      own = bitonic_sort(world, std::move(own));
      const SortCheck after = check_sorted<double>(world, own, SortOrder::ascending);
      EXPECT_TRUE(after.sorted);
      EXPECT_EQ(after.sum, before.sum);
    }
    world.finish();
  });
}

TEST(BitonicSortOverUdp, is_right_without_loss) {
  expect_sorted_over("", 8, 1);
}

TEST(BitonicSortOverUdp, is_right_when_datagrams_are_lost) {
  expect_sorted_over("loss=15%,rtt=4ms", 2, 1);
  expect_sorted_over("loss=15%,rtt=4ms", 4, 1);
  expect_sorted_over("loss=15%,rtt=4ms", 8, 2);
}

TEST(BitonicSortOverUdp, is_right_when_everything_happens_to_datagrams_at_once) {
  expect_sorted_over("loss=10%,rtt=4ms,burst=4,jitter=2ms,reorder=5%,duplicate=5%,corrupt=1%", 4, 1);
}

/// The program and the model are the same algorithm: L(L+1)/2 supersteps of c = P messages, γ segments each.
/// What the paper does not count is counted apart: the empty message of each pair that has nothing to say in
/// a superstep, the superstep in which the ranks learn N, and the empty messages of the program's end.
TEST(BitonicSortOverUdp, sends_what_the_model_counts) {
  constexpr std::size_t keys_per_rank = 950;  // the last segment has room for the heads of the message
  constexpr std::uint64_t segment_bytes = 1400 - 66;
  for (const Rank ranks : {1, 2, 4, 8}) {
    std::uint64_t supersteps = 0;
    std::uint64_t segments = 0;
    std::mutex mutex;
    transport::UdpCluster cluster(ranks);
    cluster.job.options.copies = 1;
    cluster.run_well([&](transport::UdpExchange& exchange) {
      World world(exchange);
      bitonic_sort(world, random_keys(world.rank(), keys_per_rank));
      world.finish();
      const std::lock_guard lock(mutex);
      const auto& traffic = world.history().totals().traffic;
      supersteps = world.history().supersteps();
      segments += traffic.segments_sent - traffic.segments_resent;
    });

    // The model's keys are of 4 bytes: as many bytes in all, so twice the keys.
    const auto nodes = static_cast<double>(ranks);
    const auto workload = model::paper::bitonic_sort(2 * keys_per_rank * nodes, nodes, {1e9, segment_bytes});
    double steps = 0;
    double packets = 0;
    double messages = 0;
    for (const auto& step : workload.steps) {
      steps += step.times;
      messages += step.times * step.packets;
      packets += step.times * step.packets * workload.packets_per_message;
    }
    const double pairs = nodes * (nodes - 1);
    const double learning_n = ranks == 1 ? 0 : 1;
    const double ending = pairs;
    const double empty = steps * pairs - messages;
    EXPECT_EQ(static_cast<double>(supersteps), steps + learning_n);
    EXPECT_EQ(static_cast<double>(segments), packets + empty + learning_n * pairs + ending)
        << ranks << " ranks";
  }
}

}  // namespace
}  // namespace lbsp::algorithms
