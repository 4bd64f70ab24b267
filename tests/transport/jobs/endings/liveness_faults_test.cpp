#include <algorithm>
#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"
#include "transport/impairment/random.hpp"
#include "transport/simulated/network.hpp"

/// Outages, frozen ranks and paths that narrow, at any phase of a job: a fault shorter than the silent-peer limit
/// is survived, and no run goes on without progress for longer than its limit.
namespace lbsp::transport::testing {
namespace {

constexpr Duration limit = 5s;
constexpr int supersteps = 8;

struct Fate {
  bool ended = false;
  int failures = 0;
  Duration longest_standstill{0};  ///< without any rank's finishing a leg, failing or leaving
};

/// Every second superstep has a reply leg between neighbours.
class Watched {
 public:
  explicit Watched(const SimulationConfig& config)
      : size_(config.size), network_(config), ranks_(of(size_)) {}

  Fate run() {
    Fate fate;
    Instant last = network_.now();
    for (Rank rank = 0; rank < size_; ++rank)
      next(rank);
    while (left_ < size_ && network_.now() < Instant{3min}) {
      const auto rank = network_.step();
      if (!rank) return fate;
      if (look_at(*rank)) {
        fate.longest_standstill = std::max(fate.longest_standstill, network_.now() - last);
        last = network_.now();
      }
    }
    fate.ended = left_ == size_;
    for (Rank rank = 0; rank < size_; ++rank)
      fate.failures += network_.endpoint(rank).failure() ? 1 : 0;
    return fate;
  }

 private:
  struct Program {
    int legs = 0;
    bool left = false;
  };

  static std::vector<Program> of(Rank size) { return std::vector<Program>(static_cast<std::size_t>(size)); }
  Program& program(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  static constexpr int legs = supersteps * 2;

  bool look_at(Rank rank) {
    const Endpoint& endpoint = network_.endpoint(rank);
    if (program(rank).left) return false;
    if (endpoint.failure() || endpoint.finished()) {
      program(rank).left = true;
      ++left_;
      network_.remove(rank, network_.now() + (endpoint.failure() ? 250ms : 0ms));
      return true;
    }
    if (!endpoint.exchange_complete() || program(rank).legs > legs) return false;
    next(rank);
    return true;
  }

  void next(Rank rank) {
    network_.act(rank, [&](Endpoint& endpoint, Instant now) {
      const int leg = program(rank).legs++;
      if (leg > 0) endpoint.take_messages();
      std::vector<Bytes> outgoing(static_cast<std::size_t>(size_), Bytes(20'000));
      if (leg == legs) return endpoint.begin_finish(now);
      if (leg % 2 == 0) return endpoint.begin_exchange(std::move(outgoing), now);
      endpoint.begin_reply(std::move(outgoing), {(rank + 1) % size_}, {(rank + size_ - 1) % size_}, now);
    });
  }

  Rank size_;
  SimulatedNetwork network_;
  std::vector<Program> ranks_;
  Rank left_ = 0;
};

SimulationConfig draw(Random& random, std::uint64_t seed) {
  SimulationConfig config;
  config.size = static_cast<Rank>(2 + random.below(4));
  config.seed = seed;
  config.options.peer_timeout = limit;
  config.options.rate = megabits_per_second(100);
  config.wan.loss = 0.2 * random.unit();
  config.wan.burst = 1 + 2 * random.unit();
  config.wan.round_trip_time = std::chrono::milliseconds{random.below(60)};
  return config;
}

/// A run of these jobs takes about this long: faults begin at any phase of it, the start and the end included.
Duration any_phase(Random& random, const SimulationConfig& config) {
  return Duration{static_cast<Duration::rep>(random.unit() * 60e6)} +
         Duration{static_cast<Duration::rep>(random.unit() * 24)} * config.wan.round_trip_time.count();
}

Rank anyone(Random& random, Rank size) {
  return random.below(3) == 0 ? FaultPlan::every
                              : static_cast<Rank>(random.below(static_cast<std::uint64_t>(size)));
}

TEST(LivenessFaults, shorter_than_the_limit_are_survived) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    SimulationConfig config = draw(random, seed);
    const Duration begin = any_phase(random, config);
    const Duration end = begin + std::chrono::milliseconds{random.below(3000)};
    switch (seed % 3) {
      case 0:
        config.faults.outages.push_back(
            {anyone(random, config.size), anyone(random, config.size), begin, end});
        break;
      case 1:
        config.faults.freezes.push_back({anyone(random, config.size), begin, end});
        break;
      default:
        config.faults.narrowings.push_back({anyone(random, config.size), FaultPlan::every, begin,
                                            560 + random.below(830), random.below(2) == 0});
    }
    const Fate fate = Watched(config).run();
    EXPECT_TRUE(fate.ended) << "seed " << seed;
    EXPECT_EQ(fate.failures, 0) << "seed " << seed;
    EXPECT_LT(fate.longest_standstill, limit + 3s) << "seed " << seed;
  }
}

TEST(LivenessFaults, longer_than_the_limit_end_the_run_within_it) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    SimulationConfig config = draw(random, seed);
    const Duration begin = any_phase(random, config);
    const Duration length = seed % 5 == 0 ? Duration{1h} : Duration{12s};
    if (seed % 2 == 0) {
      config.faults.outages.push_back(
          {anyone(random, config.size), anyone(random, config.size), begin, begin + length});
    } else {
      config.faults.freezes.push_back({anyone(random, config.size), begin, begin + 12s});
    }
    const Fate fate = Watched(config).run();
    EXPECT_TRUE(fate.ended) << "seed " << seed;
    // A frozen rank finds out after it has gone on: its own sleep, then the limit.
    EXPECT_LT(fate.longest_standstill, (seed % 2 == 0 ? Duration{0} : Duration{12s}) + 2 * limit + 4s)
        << "seed " << seed;
  }
}

/// Supersteps without end, until every rank has failed.
std::vector<Failure> failures_of(const SimulationConfig& config) {
  SimulatedNetwork network(config);
  const auto next = [&](Rank rank) {
    network.act(rank, [&](Endpoint& endpoint, Instant now) {
      endpoint.begin_exchange(std::vector<Bytes>(static_cast<std::size_t>(config.size), Bytes(5'000)), now);
    });
  };
  for (Rank rank = 0; rank < config.size; ++rank)
    next(rank);
  std::vector<Failure> failures;
  std::vector<bool> failed(static_cast<std::size_t>(config.size));
  while (network.now() < Instant{1min} && failures.size() < failed.size()) {
    const auto rank = network.step();
    if (!rank) break;
    const Endpoint& endpoint = network.endpoint(*rank);
    if (endpoint.failure() && !failed[static_cast<std::size_t>(*rank)]) {
      failed[static_cast<std::size_t>(*rank)] = true;
      failures.push_back(*endpoint.failure());
    } else if (!endpoint.failure() && endpoint.exchange_complete()) {
      network.act(*rank, [](Endpoint& done, Instant) { done.take_messages(); });
      next(*rank);
    }
  }
  return failures;
}

TEST(LivenessFaults, every_rank_names_the_one_that_is_cut_off_both_ways) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    SimulationConfig config = draw(random, seed);
    config.size = std::max(config.size, 3);
    const auto cut_off = static_cast<Rank>(random.below(static_cast<std::uint64_t>(config.size)));
    const Duration begin = 500ms + any_phase(random, config);
    config.faults.outages.push_back({cut_off, FaultPlan::every, begin, Duration{1h}});
    config.faults.outages.push_back({FaultPlan::every, cut_off, begin, Duration{1h}});
    const auto failures = failures_of(config);
    EXPECT_EQ(failures.size(), static_cast<std::size_t>(config.size)) << "seed " << seed;
    int own = 0;
    for (const Failure& failure : failures) {
      EXPECT_EQ(failure.rank, cut_off) << "seed " << seed << ": " << failure.message;
      own += failure.message.find("has heard none of the other") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(own, 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lbsp::transport::testing
