#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "transport/error.hpp"
#include "transport/exchange_arguments.hpp"
#include "transport/impairment/wan_spec.hpp"
#include "transport/simulated/network.hpp"

/// Messages that are sent supersteps before they are awaited, in virtual time.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

struct Plan {
  Rank size = 4;
  const char* wan = "loss=10%,rtt=20ms,rate=100Mbit";
  std::uint64_t seed = 1;
  std::uint32_t supersteps = 40;
  std::size_t bytes = 2000;        ///< of each message
  std::size_t early_bytes = 9000;  ///< of each early one; 0: there are none
  std::uint32_t every = 10;        ///< supersteps from one to the next
  std::uint32_t ahead = 5;         ///< supersteps that it may take
  std::size_t with_messages = 0;   ///< so many bytes more are in every tenth superstep's messages
};

SimulationConfig config_of(const Plan& plan) {
  SimulationConfig config{
      .size = plan.size, .options = {}, .wan = parse_wan_spec(plan.wan), .seed = plan.seed};
  config.options.rate = megabits_per_second(100);
  config.options.copies = 2;
  return config;
}

/// Each rank goes through its supersteps at its own pace.
class EarlyJob {
 public:
  explicit EarlyJob(const Plan& plan)
      : network(config_of(plan)), plan_(plan), ranks_(static_cast<std::size_t>(plan.size)) {}

  /// Returns whether all have left by then.
  bool run(Duration limit) {
    const Instant begun = network.now();
    for (Rank rank = 0; rank < plan_.size; ++rank)
      go_on(rank);
    const auto over = [&] { return left_ == plan_.size; };
    while (!over() && network.next_event() < begun + limit) {
      const auto rank = network.step();
      if (!rank) break;
      if (network.endpoint(*rank).failure()) return false;
      go_on(*rank);
    }
    elapsed = network.now() - begun;
    return over();
  }

  /// What all have sent.
  TrafficCounters traffic() const {
    TrafficCounters sum;
    for (Rank rank = 0; rank < plan_.size; ++rank)
      sum += network.endpoint(rank).counters();
    return sum;
  }

  SimulatedNetwork network;
  Duration elapsed{0};
  Duration supersteps_took{0};
  int received = 0;  ///< early messages, as they were sent

 private:
  struct Progress {
    std::uint32_t begun = 0;  ///< supersteps
    bool takes_early = false;
    bool leaves = false;
    bool left = false;
  };

  bool sends_early_in(std::uint32_t superstep) const {
    return plan_.early_bytes > 0 && superstep % plan_.every == 0;
  }
  bool awaits_early_before(std::uint32_t superstep) const {
    return superstep >= plan_.ahead && sends_early_in(superstep - plan_.ahead);
  }

  Bytes early_message(Rank from, Rank to, std::uint32_t superstep) const {
    Bytes bytes(plan_.early_bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(7 * i + 31 * static_cast<std::size_t>(from) +
                                        101 * static_cast<std::size_t>(to) + 3 * superstep);
    return bytes;
  }

  std::vector<Rank> others(Rank rank) const {
    std::vector<Rank> ranks;
    for (Rank other = 0; other < plan_.size; ++other)
      if (other != rank) ranks.push_back(other);
    return ranks;
  }

  void go_on(Rank rank) {
    Progress& own = ranks_[static_cast<std::size_t>(rank)];
    while (!own.left && network.endpoint(rank).exchange_complete()) {
      if (own.leaves) {
        if (!network.endpoint(rank).finished()) return;
        own.left = true;
        ++left_;
        return;
      }
      network.act(rank, [&](Endpoint& endpoint, Instant now) { act(rank, own, endpoint, now); });
    }
  }

  void act(Rank rank, Progress& own, Endpoint& endpoint, Instant now) {
    if (own.takes_early) {
      take_early(rank, own.begun, endpoint.take_messages());
    } else if (own.begun > 0) {
      endpoint.take_messages();
    }
    if (own.begun == plan_.supersteps) {
      supersteps_took = std::max(supersteps_took, now - Instant{1s});
      own.leaves = true;
      return endpoint.begin_finish(now);
    }
    if (!std::exchange(own.takes_early, false) && awaits_early_before(own.begun)) {
      own.takes_early = true;
      return endpoint.begin_early(others(rank), now);
    }
    begin_superstep(rank, own.begun++, endpoint, now);
  }

  void begin_superstep(Rank rank, std::uint32_t superstep, Endpoint& endpoint, Instant now) {
    const std::size_t more = superstep % plan_.every == 0 ? plan_.with_messages : 0;
    endpoint.begin_exchange(
        std::vector<Bytes>(static_cast<std::size_t>(plan_.size), Bytes(plan_.bytes + more)), now);
    if (!sends_early_in(superstep)) return;
    EarlyMessages early{std::vector<Bytes>(static_cast<std::size_t>(plan_.size)), others(rank), plan_.ahead};
    for (const Rank to : early.destinations)
      early.outgoing[static_cast<std::size_t>(to)] = early_message(rank, to, superstep);
    endpoint.send_early(std::move(early));
  }

  void take_early(Rank rank, std::uint32_t before, const std::vector<Bytes>& messages) {
    for (const Rank from : others(rank))
      if (messages[static_cast<std::size_t>(from)] == early_message(from, rank, before - plan_.ahead))
        ++received;
  }

  Plan plan_;
  std::vector<Progress> ranks_;
  Rank left_ = 0;
};

TEST(EarlyMessages, arrive_whole_however_many_supersteps_they_may_take) {
  for (const std::uint32_t ahead : {1u, 2u, most_early}) {
    for (const std::size_t bytes : {1u, 9000u, 200'000u}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        SCOPED_TRACE(::testing::Message() << ahead << " ahead, " << bytes << " bytes, seed " << seed);
        EarlyJob job({.seed = seed, .early_bytes = bytes, .ahead = ahead});
        EXPECT_TRUE(job.run(60s));
        EXPECT_EQ(job.received, 4 * 4 * 3) << "of every tenth superstep, from each to each";
      }
    }
  }
}

TEST(EarlyMessages, may_follow_each_other_before_the_first_is_awaited) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EarlyJob job({.seed = seed, .every = 1, .ahead = most_early});
    EXPECT_TRUE(job.run(60s));
    EXPECT_EQ(job.received, (40 - static_cast<int>(most_early)) * 4 * 3);
  }
}

/// Of eight ranks' states that are kept every ten supersteps, as with jacobi.
TEST(EarlyMessages, take_time_in_which_the_network_would_be_idle) {
  const Plan plan{.size = 8, .supersteps = 100, .early_bytes = 0};
  Duration without{0};
  Duration early{0};
  Duration with_messages{0};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Plan of_seed = plan;
    of_seed.seed = seed;
    EarlyJob alone(of_seed);
    EXPECT_TRUE(alone.run(60s));
    without += alone.supersteps_took;
    of_seed.early_bytes = 9000;
    EarlyJob ahead(of_seed);
    EXPECT_TRUE(ahead.run(60s));
    early += ahead.supersteps_took;
    of_seed.early_bytes = 0;
    of_seed.with_messages = 9000;
    EarlyJob along(of_seed);
    EXPECT_TRUE(along.run(60s));
    with_messages += along.supersteps_took;
  }
  const auto longer = [&](Duration than) { return 100.0 * (than - without) / without; };
  EXPECT_LT(longer(early), 1.5) << "percent";
  EXPECT_GT(longer(with_messages), 4) << "percent, for comparison";
}

TEST(EarlyMessages, cost_what_they_carry_and_what_is_lost) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EarlyJob without({.seed = seed, .supersteps = 100, .early_bytes = 0});
    EarlyJob early({.seed = seed, .supersteps = 100, .early_bytes = 40'000});
    EXPECT_TRUE(without.run(60s));
    EXPECT_TRUE(early.run(60s));
    const double carried = 10 * 4 * 3 * 40'000.0;
    const auto cost =
        static_cast<double>(early.traffic().wire_bytes_sent - without.traffic().wire_bytes_sent);
    EXPECT_LT(cost, 1.25 * carried / 0.9) << "with headers, reports and what is sent again";
  }
}

TEST(EarlyMessages, are_acknowledged_without_being_sent_again) {
  EarlyJob job({.wan = "rtt=20ms,rate=100Mbit", .supersteps = 100});
  EXPECT_TRUE(job.run(60s));
  EXPECT_EQ(job.traffic().segments_resent, 0U);
  EXPECT_EQ(job.traffic().segments_duplicate, job.traffic().copies_sent);
}

TEST(EarlyMessages, do_not_keep_anybody_at_the_end) {
  EarlyJob without({.supersteps = 2, .early_bytes = 0});
  EarlyJob early({.supersteps = 2, .early_bytes = 3'000'000, .ahead = most_early});
  EXPECT_TRUE(without.run(60s));
  EXPECT_TRUE(early.run(60s));
  EXPECT_LT(early.elapsed, without.elapsed + 30ms);
}

TEST(EarlyMessages, are_refused_where_they_make_no_sense) {
  const EarlyMessages good{std::vector<Bytes>(3), {1, 2}, 4};
  EXPECT_NO_THROW(check_early(good, most_early, 0, 3));
  EarlyMessages bad = good;
  bad.supersteps = 0;
  EXPECT_THROW(check_early(bad, most_early, 0, 3), UsageError);
  bad.supersteps = most_early + 1;
  EXPECT_THROW(check_early(bad, most_early, 0, 3), UsageError);
  bad = good;
  bad.destinations = {0};
  EXPECT_THROW(check_early(bad, most_early, 0, 3), UsageError);
  bad.outgoing.clear();
  EXPECT_THROW(check_early(bad, most_early, 0, 3), UsageError);
}

}  // namespace
}  // namespace lbsp::transport
