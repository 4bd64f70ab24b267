#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "tests/transport/scripted_superstep.hpp"
#include "transport/impairment/random.hpp"

/// The end of a job whose ranks know their last leg: what it takes each rank from its last superstep on.
namespace lbsp::transport::testing {
namespace {

/// Ranks that go through their supersteps and the end at their own pace.
class WholeJob {
 public:
  WholeJob(Rank size, Duration one_way_delay, int supersteps, const ExchangeOptions& options = {})
      : network(size, options, one_way_delay),
        supersteps_(supersteps),
        ranks_(static_cast<std::size_t>(size)) {}

  /// Runs until every rank has left or failed; `starts`: after what time each begins. Says whether they did.
  bool run(const std::vector<Duration>& starts, Duration limit) {
    std::vector<Rank> order(starts.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](Rank rank) { return starts[static_cast<std::size_t>(rank)]; });
    const Instant begun = network.now();
    for (const Rank rank : order) {
      const Instant at = begun + starts[static_cast<std::size_t>(rank)];
      network.run_until([&] { return go_on(); }, at - network.now());
      begin_next(rank);
    }
    return network.run_until([&] { return go_on(); }, limit);
  }

  /// From the end of the last superstep of the program.
  Duration leaving(Rank rank) const {
    const Progress& progress = ranks_[static_cast<std::size_t>(rank)];
    return progress.left - progress.last_superstep;
  }
  Duration slowest() const {
    Duration slowest{0};
    for (Rank rank = 0; rank < static_cast<Rank>(ranks_.size()); ++rank)
      slowest = std::max(slowest, leaving(rank));
    return slowest;
  }

  ScriptedNetwork network;
  std::function<void(Rank)> on_left = [](Rank) {};

 private:
  struct Progress {
    int begun = 0;
    bool finishing = false;
    Instant last_superstep{};
    Instant left = never;
  };

  /// Returns whether all have left.
  bool go_on() {
    bool over = true;
    for (Rank rank = 0; rank < network.size(); ++rank) {
      Progress& progress = ranks_[static_cast<std::size_t>(rank)];
      const Endpoint& endpoint = network[rank];
      while (progress.begun > 0 && !progress.finishing && !endpoint.failure() && endpoint.exchange_complete())
        begin_next(rank);
      const bool left = endpoint.failure().has_value() || (progress.finishing && endpoint.finished());
      if (left && progress.left == never) {
        progress.left = network.now();
        on_left(rank);
      }
      over = over && left;
    }
    return over;
  }

  void begin_next(Rank rank) {
    Progress& progress = ranks_[static_cast<std::size_t>(rank)];
    if (progress.begun > 0) network[rank].take_messages();
    const std::vector<Bytes> outgoing(ranks_.size(), Bytes(100));
    if (progress.begun < supersteps_) {
      network[rank].begin_exchange(outgoing, network.now());
    } else if (progress.begun == supersteps_) {
      progress.last_superstep = network.now();
      network[rank].begin_last_exchange(outgoing, network.now());
    } else {
      progress.finishing = true;
      network[rank].begin_finish(network.now());
    }
    ++progress.begun;
    network.flush(rank);
  }

  int supersteps_;
  std::vector<Progress> ranks_;
};

std::vector<Duration> random_starts(Random& random, Rank size, Duration longest) {
  std::vector<Duration> starts(static_cast<std::size_t>(size));
  for (Duration& start : starts)
    start = Duration{static_cast<Duration::rep>(random.unit() * static_cast<double>(longest.count()))};
  return starts;
}

TEST(LastLeg, without_loss_every_rank_leaves_within_a_round_trip_and_a_half) {
  for (Rank size = 2; size <= 9; ++size) {
    for (const Duration round_trip : {Duration{2ms}, Duration{20ms}, Duration{50ms}, Duration{200ms}}) {
      Random random(static_cast<std::uint64_t>(size));
      for (int supersteps = 1; supersteps < 12; ++supersteps) {
        WholeJob job(size, round_trip / 2, supersteps);
        ASSERT_TRUE(job.run(random_starts(random, size, 2 * round_trip), 1min));
        EXPECT_LE(job.slowest(), 3 * round_trip / 2 + 1ms)
            << size << " ranks, round trip " << milliseconds(round_trip) << " ms, " << supersteps
            << " supersteps";
      }
    }
  }
}

TEST(LastLeg, of_ranks_that_are_done_together_takes_one_round_trip) {
  for (Rank size = 2; size <= 9; ++size) {
    WholeJob job(size, 25ms, 8);
    ASSERT_TRUE(job.run(std::vector<Duration>(static_cast<std::size_t>(size)), 1min));
    EXPECT_LE(job.slowest(), 51ms) << size << " ranks";
  }
}

/// With one rank that computes for long after its last superstep, the others leave soon after it is done.
TEST(LastLeg, ends_soon_for_all_when_the_last_rank_is_done) {
  WholeJob job(4, 25ms, 1);
  std::vector<Duration> starts(4);
  starts[2] = 10s;
  ASSERT_TRUE(job.run(starts, 1min));
  EXPECT_LE(job.slowest(), 76ms);
}

TEST(LastLeg, costs_each_pair_a_few_small_datagrams) {
  WholeJob job(9, 25ms, 8);
  ASSERT_TRUE(job.run(std::vector<Duration>(9), 1min));
  EXPECT_LE(job.network.sent(DatagramKind::fin), 5 * 9 * 8);
  EXPECT_LE(job.network.sent(DatagramKind::status), 9 * 8) << "FIN says that all has arrived";
}

/// Whoever leaves may be needed no more: from that moment on nothing is heard of it.
struct LossyEnd {
  bool over = false;
  int failures = 0;
  Duration slowest{0};
};

LossyEnd run_with_loss(std::uint64_t seed, double loss) {
  constexpr Rank size = 5;
  Random random(seed);
  WholeJob job(size, 25ms, 3);
  job.network.lose = [&](const Passing&) { return random.unit() < loss; };
  job.on_left = [&](Rank rank) {
    if (!job.network[rank].failure()) job.network.cut_off(rank);
  };
  LossyEnd end;
  end.over = job.run(random_starts(random, size, 50ms), 1min);
  for (Rank rank = 0; rank < size; ++rank)
    end.failures += job.network[rank].failure() ? 1 : 0;
  end.slowest = job.slowest();
  return end;
}

TEST(LastLeg, under_loss_leaves_nobody_behind) {
  for (const double loss : {0.02, 0.1, 0.3}) {
    std::vector<Duration> slowest;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const LossyEnd end = run_with_loss(seed, loss);
      ASSERT_TRUE(end.over) << "seed " << seed;
      EXPECT_EQ(end.failures, 0) << "seed " << seed;
      slowest.push_back(end.slowest);
    }
    std::ranges::sort(slowest);
    EXPECT_LE(slowest[180], loss > 0.2 ? 500ms : 350ms) << "loss " << loss;
    EXPECT_LE(slowest.back(), 5s) << "loss " << loss;
  }
}

/// What rank 0 sends from its last leg on is lost for a while, but for its FINs.
TEST(LastLeg, waits_for_a_peer_that_lacks_the_last_message) {
  for (const Duration outage : {Duration{300ms}, Duration{2300ms}, Duration{14s}}) {
    ScriptedNetwork network(3, {});
    superstep(network, nothing);
    const Instant begin = network.now();
    network.lose = [&](const Passing& passing) {
      return passing.header.source == 0 && is_data(passing) && network.now() < begin + outage;
    };
    for (Rank rank = 0; rank < 3; ++rank) {
      network[rank].begin_last_exchange(std::vector<Bytes>(3, Bytes(100)), network.now());
      network.flush(rank);
    }
    EXPECT_TRUE(network.run_until([&] { return network[0].exchange_complete(); }, 1s));
    network[0].begin_finish(network.now());
    EXPECT_FALSE(network.run_until([&] { return network[0].finished(); }, outage - 100ms))
        << "the others lack its message";
    EXPECT_TRUE(network.run_exchange(5s)) << "after an outage of " << milliseconds(outage);
    for (const Rank rank : {1, 2})
      network[rank].begin_finish(network.now());
    EXPECT_TRUE(network.run_until([&] { return network.all(&Endpoint::finished); }, 200ms));
    for (Rank rank = 0; rank < 3; ++rank)
      EXPECT_FALSE(network[rank].failure());
  }
}

/// A peer that dies in the last leg, before or after its message has come.
TEST(LastLeg, ends_whenever_a_peer_dies) {
  for (Duration dies = 0ms; dies < 150ms; dies += 3ms) {
    ExchangeOptions options;
    options.peer_timeout = 2s;
    WholeJob job(3, 25ms, 2, options);
    const Instant begin = job.network.now();
    job.network.lose = [&](const Passing& passing) {
      return job.network.now() >= begin + dies && passing.header.source == 1;
    };
    ASSERT_TRUE(job.run(std::vector<Duration>(3), 10s)) << "dead after " << milliseconds(dies) << " ms";
  }
}

}  // namespace
}  // namespace lbsp::transport::testing
