#include <climits>
#include <gtest/gtest.h>

#include "tests/transport/scripted_network.hpp"
#include "transport/fixed_redundancy.hpp"

/// Coded segments in the protocol: one-way delay 10 ms, 1 Gbit/s, messages of 20 segments unless said.
namespace lbsp::transport::testing {
namespace {

constexpr std::size_t segment_bytes = 1354;
constexpr std::size_t twenty_segments = 20 * segment_bytes;

PlannerFactory coded(int repair_segments) {
  return [=](Rank) { return std::make_unique<FixedRedundancy>(2, repair_segments); };
}

bool is(const Passing& passing, DatagramKind kind, Rank from) {
  return passing.header.kind == kind && passing.header.source == from;
}

class CodedRepair : public ::testing::Test {
 protected:
  /// The messages of one superstep of this size, checked; returns how long it took.
  Duration superstep(ScriptedNetwork& network, std::size_t bytes) {
    const Instant begin = network.now();
    const auto message = [&](Rank from, Rank to) {
      return patterned(from, to, from == 0 ? bytes : 0, salt_);
    };
    network.begin_exchange(message);
    EXPECT_TRUE(network.run_exchange());
    for (Rank to = 0; to < network.size(); ++to) {
      const auto received = network[to].take_messages();
      for (Rank from = 0; from < network.size(); ++from) {
        if (from == to) continue;
        EXPECT_EQ(received[static_cast<std::size_t>(from)], message(from, to));
      }
    }
    ++salt_;
    return network.now() - begin;
  }

  /// Supersteps without loss, so that the round trip is known.
  void warm_up(ScriptedNetwork& network) {
    const auto lose = std::exchange(network.lose, [](const Passing&) { return false; });
    for (int i = 0; i < 5; ++i)
      superstep(network, 0);
    network.lose = lose;
  }

 private:
  std::uint32_t salt_ = 0;
};

TEST_F(CodedRepair, costs_no_round_trip_while_no_more_is_lost_than_was_sent_beforehand) {
  ScriptedNetwork network(2, {}, 10ms, coded(4));
  warm_up(network);
  network.lose = [](const Passing& passing) {
    return is(passing, DatagramKind::data, 0) && passing.index >= 12 && passing.index < 16;
  };
  EXPECT_LT(superstep(network, twenty_segments), 11ms);
  EXPECT_EQ(network[0].counters().segments_resent, 0u);
  EXPECT_EQ(network[0].counters().coded_sent, 4u);
}

TEST_F(CodedRepair, does_not_need_the_last_segment_nor_any_other_by_itself) {
  for (int lost = 0; lost < 20; ++lost) {
    ScriptedNetwork network(2, {}, 10ms, coded(1));
    warm_up(network);
    int seen = -1;
    network.lose = [&](const Passing& passing) {
      return is(passing, DatagramKind::data, 0) && ++seen == lost;
    };
    EXPECT_LT(superstep(network, twenty_segments), 11ms) << "segment " << lost;
  }
}

TEST_F(CodedRepair, sends_what_is_lacking_and_not_what_is_missing) {
  ScriptedNetwork network(2, {}, 10ms, coded(4));
  warm_up(network);
  int lost = 0;
  network.lose = [&](const Passing& passing) {
    return is(passing, DatagramKind::data, 0) && passing.index >= 10 && passing.index < 16 && ++lost <= 6;
  };
  // Six are lost and four coded ones come: two are lacking, and go out twice.
  EXPECT_LT(superstep(network, twenty_segments), 40ms);
  EXPECT_EQ(network[0].counters().segments_resent, 4u);
}

TEST_F(CodedRepair, repairs_with_new_coded_segments_what_was_lost_together) {
  ScriptedNetwork network(2, {}, 10ms, coded(0));
  warm_up(network);
  int coded_seen = 0;
  int segment = -1;
  network.lose = [&](const Passing& passing) {
    if (is(passing, DatagramKind::coded, 0)) ++coded_seen;
    if (is(passing, DatagramKind::data, 0)) ++segment;
    return is(passing, DatagramKind::data, 0) && (segment == 4 || segment == 5);
  };
  EXPECT_LT(superstep(network, twenty_segments), 40ms);
  EXPECT_EQ(network[0].counters().segments_resent, 4u);
  EXPECT_EQ(coded_seen, 2);  // the two lost themselves, and two coded ones
  EXPECT_EQ(network[0].counters().coded_sent, 0u);
}

TEST_F(CodedRepair, is_bounded_whatever_the_planner_answers) {
  class Wild final : public RedundancyPlanner {
   public:
    Wild(bool coded, int answer) : coded_(coded), answer_(answer) {}
    LegForecast plan(const LegOutline&, std::span<MessagePlan> plans) override {
      for (MessagePlan& each : plans)
        each = {1, 0, 0, coded_};
      return {};
    }
    int repairs_for(int, int, const PathForecast&) const override { return answer_; }

   private:
    bool coded_;
    int answer_;
  };
  for (const bool coded : {false, true}) {
    for (const int answer : {INT_MIN, -1, 0, 1'000'000, INT_MAX}) {
      ScriptedNetwork network(2, {}, 10ms, [=](Rank) { return std::make_unique<Wild>(coded, answer); });
      warm_up(network);
      int segment = -1;
      network.lose = [&](const Passing& passing) {
        return is(passing, DatagramKind::data, 0) && ++segment == 5;
      };
      EXPECT_LT(superstep(network, twenty_segments), 60ms) << coded << ' ' << answer;
      EXPECT_LE(network[0].counters().segments_resent, coded ? 128u : 16u) << coded << ' ' << answer;
    }
  }
}

TEST_F(CodedRepair, gets_through_when_every_coded_segment_is_lost) {
  ScriptedNetwork network(2, {}, 10ms, coded(3));
  warm_up(network);
  network.lose = [](const Passing& passing) {
    return is(passing, DatagramKind::coded, 0) ||
           (is(passing, DatagramKind::data, 0) && passing.index >= 8 && passing.index < 13);
  };
  EXPECT_LT(superstep(network, twenty_segments), 60ms);
}

TEST_F(CodedRepair, gets_through_when_nothing_but_coded_segments_arrives) {
  ScriptedNetwork network(2, {}, 10ms, coded(20));
  warm_up(network);
  network.lose = [](const Passing& passing) { return is(passing, DatagramKind::data, 0); };
  EXPECT_LT(superstep(network, twenty_segments), 12ms);
}

TEST_F(CodedRepair, gets_through_when_reports_are_lost) {
  ScriptedNetwork network(2, {}, 10ms, coded(2));
  warm_up(network);
  network.lose = [](const Passing& passing) {
    if (is(passing, DatagramKind::status, 1)) return passing.index % 3 != 0;
    return is(passing, DatagramKind::data, 0) && passing.index >= 8 && passing.index < 20;
  };
  EXPECT_LT(superstep(network, twenty_segments), 150ms);
}

TEST_F(CodedRepair, protects_long_messages_block_by_block) {
  ScriptedNetwork network(2, {}, 10ms, coded(2));
  warm_up(network);
  // Two of every 60: no block of 500/4 = 125 loses more than 5.
  network.lose = [](const Passing& passing) {
    return is(passing, DatagramKind::data, 0) && passing.index % 60 < 2;
  };
  superstep(network, 500 * segment_bytes);
  EXPECT_EQ(network[0].counters().coded_sent, 8u);
}

TEST_F(CodedRepair, leaves_alone_what_the_plan_does_not_protect) {
  class Tail final : public RedundancyPlanner {
    LegForecast plan(const LegOutline& leg, std::span<MessagePlan> plans) override {
      for (std::size_t i = 0; i < plans.size(); ++i)
        plans[i] = {1, 3, leg.messages[i].segments / 2, true};
      return {5ms};
    }
    int repairs_for(int lacking, int, const PathForecast&) const override { return lacking; }
  };
  ScriptedNetwork network(2, {}, 10ms, [](Rank) { return std::make_unique<Tail>(); });
  superstep(network, 500 * segment_bytes);
  EXPECT_EQ(network[0].counters().coded_sent, 6u);  // two of four blocks
  EXPECT_EQ(network[0].forecast().duration, 5ms);
  EXPECT_EQ(network[0].forecast().most_copies, 2);
  superstep(network, 1);
  EXPECT_EQ(network[0].forecast().duration, 5ms) << "of the superstep begun last alone";
  EXPECT_EQ(network[0].forecast().most_copies, 1);
  network[0].begin_reply(std::vector<Bytes>(2), {}, {}, network.now());
  EXPECT_EQ(network[0].forecast().duration, 10ms) << "and of both its legs";
}

TEST_F(CodedRepair, stops_when_the_block_is_known_to_be_there) {
  // 1 Mbit/s: a segment takes 11 ms, so that reports come before the coded segments go.
  ExchangeOptions options;
  options.rate = megabits_per_second(1);
  ScriptedNetwork network(2, options, 10ms, coded(100));
  superstep(network, twenty_segments);
  network.run_for(1s);
  EXPECT_LT(network[0].counters().coded_sent, 10u);
}

TEST_F(CodedRepair, tells_the_sender_what_it_loses) {
  ScriptedNetwork network(2, {}, 10ms, coded(0));
  network.lose = [](const Passing& passing) {
    return is(passing, DatagramKind::data, 0) && passing.index % 10 == 3;
  };
  std::vector<double> seen;
  class Watching final : public RedundancyPlanner {
   public:
    explicit Watching(std::vector<double>& seen) : seen_(seen) {}
    LegForecast plan(const LegOutline& leg, std::span<MessagePlan>) override {
      seen_.push_back(leg.messages.front().path.loss);
      return {};
    }
    int repairs_for(int lacking, int, const PathForecast&) const override { return lacking; }

   private:
    std::vector<double>& seen_;
  };
  std::vector<double> other;
  ScriptedNetwork watched(2, {}, 10ms,
                          [&](Rank rank) { return std::make_unique<Watching>(rank == 0 ? seen : other); });
  watched.lose = network.lose;
  for (int i = 0; i < 30; ++i)
    superstep(watched, twenty_segments);
  EXPECT_DOUBLE_EQ(seen.front(), 0.05);
  EXPECT_NEAR(seen.back(), 0.09, 0.02);
  EXPECT_LT(other.back(), 0.03);
}

}  // namespace
}  // namespace lbsp::transport::testing
