#include "transport/recovery/repairs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "tests/transport/room_state.hpp"
#include "transport/protocol_times.hpp"

/// What makes up for lost segments.
namespace lbsp::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace testing;

constexpr std::size_t segment_bytes = 1354;

/// Says the same number for every repair, and remembers what it was asked.
class Planner final : public RedundancyPlanner {
 public:
  explicit Planner(int answer) : answer_(answer) {}
  LegForecast plan(const LegOutline&, std::span<MessagePlan>) override { return {}; }
  int repairs_for(int lacking, int earlier, const PathForecast&) const override {
    asked_lacking = lacking;
    asked_earlier = earlier;
    return answer_;
  }

  mutable int asked_lacking = -1;
  mutable int asked_earlier = -1;

 private:
  int answer_;
};

/// A message of 20 segments, all sent as packets of their own number; in one block if it is coded.
class RepairsTest : public ::testing::Test {
 protected:
  void use(int answer, bool coded) {
    planner_ = std::make_shared<Planner>(answer);
    EndpointConfig config = config_of(2);
    config.planner = planner_;
    room_.emplace(config);
    room_->begin_leg(20 * segment_bytes);
    MessagePlan plan;
    plan.coded = coded;
    message().set_plan(plan);
    for (std::uint32_t i = 0; i < 20; ++i)
      message().sent(i, i, start);
    room_->state.queue.passes = {};
  }
  /// Each repaired with one segment.
  void use_two_blocks() {
    use(1, true);
    room_->begin_leg(200 * segment_bytes, start, {0, Leg::replies});
    MessagePlan plan;
    plan.coded = true;
    message().set_plan(plan);
    room_->state.queue.passes = {};
  }
  OutgoingMessage& message() { return room_->outgoing(); }
  /// A report that has seen `packets` finds these lost, and tells of the segments `told`.
  void lose(std::vector<std::uint32_t> lost, SegmentRange told = {0, 20}, std::uint64_t packets = 20) {
    StatusHeader report;
    report.echo.packets = packets;
    const LossDetection detection(report, room_->other.path.times, std::nullopt, 0ms, start);
    Repairs(room_->state).queue(room_->other, message(), lost, detection, told, start);
  }
  /// What is queued for `now`: segments, and -1 for a coded one.
  std::vector<int> queued(Instant now = start) {
    std::vector<int> list;
    auto& repairs = room_->state.queue.repairs;
    for (repairs.release(now); repairs.ready();) {
      const RepairJob job = repairs.pop();
      list.push_back(job.coded ? -1 : static_cast<int>(job.segment));
    }
    return list;
  }

  std::shared_ptr<Planner> planner_;
  std::optional<RoomState<ReceiverDriven>> room_;
};

TEST_F(RepairsTest, a_lost_segment_goes_out_at_once_and_its_copies_at_a_distance) {
  use(3, false);
  lose({4, 7});
  const Duration spacing = room_->other.path.times.copy_spacing();
  EXPECT_THAT(queued(), ElementsAre(4, 7));
  EXPECT_THAT(queued(start + spacing), ElementsAre(4, 7));
  EXPECT_THAT(queued(start + 2 * spacing), ElementsAre(4, 7));
  EXPECT_THAT(queued(start + 1h), IsEmpty());
  EXPECT_TRUE(message().segment(4).repair_queued);
}

TEST_F(RepairsTest, the_planner_is_told_how_often_a_segment_was_repaired_before) {
  use(1, false);
  lose({4});
  EXPECT_EQ(planner_->asked_earlier, 0);
  EXPECT_THAT(queued(start + 1h), ElementsAre(4)) << "once, as the planner says";
  lose({4});
  EXPECT_EQ(planner_->asked_earlier, 1);
  EXPECT_EQ(message().segment(4).repairs, 2);
}

TEST_F(RepairsTest, many_segments_lost_at_once_go_out_once_each) {
  for (const std::size_t count : {protocol::few_repairs, protocol::few_repairs + 1}) {
    use(3, false);
    room_->begin_leg(100 * segment_bytes, start, {0, Leg::replies});
    room_->state.queue.passes = {};
    std::vector<std::uint32_t> many(count);
    std::iota(many.begin(), many.end(), 0u);
    lose(many);
    EXPECT_EQ(queued(start + 1h).size(), count > protocol::few_repairs ? count : 3 * count);
  }
}

TEST_F(RepairsTest, of_a_block_the_lost_segments_go_first_then_coded_ones) {
  use(5, true);
  lose({3, 9});
  EXPECT_EQ(planner_->asked_lacking, 2);
  EXPECT_THAT(queued(), ElementsAre(3, 9, -1, -1, -1));
  EXPECT_EQ(message().blocks()[0].queued, 3);
  EXPECT_TRUE(message().segment(9).repair_queued);
}

TEST_F(RepairsTest, what_the_receiver_holds_in_coded_segments_is_not_lacking) {
  use(1, true);
  message().blocks().note_held(0, 2);
  lose({3, 9});
  EXPECT_THAT(queued(), IsEmpty());
  lose({3, 9, 11});
  EXPECT_EQ(planner_->asked_lacking, 1);
  EXPECT_THAT(queued(), ElementsAre(3));
}

TEST_F(RepairsTest, what_may_still_arrive_counts_until_a_report_could_have_told_of_it) {
  use(4, true);
  message().blocks()[0].under_way = {{30, start}, {31, start}};
  lose({3, 9});
  EXPECT_THAT(queued(), ElementsAre(3, 9)) << "two of four are under way";
  lose({3, 9}, {0, 20}, 32);
  EXPECT_THAT(queued(), ElementsAre(3, 9, -1, -1)) << "packets 30 and 31 are lost";
  EXPECT_TRUE(message().blocks()[0].under_way.empty());
}

TEST_F(RepairsTest, what_was_sent_again_and_is_not_known_to_be_lost_counts_as_under_way) {
  use(3, true);
  lose({3});
  EXPECT_THAT(queued(), ElementsAre(3, -1, -1));
  lose({9});
  EXPECT_EQ(planner_->asked_lacking, 2) << "segment 3 is still lacking";
  EXPECT_THAT(queued(), IsEmpty()) << "a repair of segment 3 and two coded ones are under way";
}

TEST_F(RepairsTest, what_may_be_needed_for_the_other_part_of_a_block_does_not_count) {
  use(2, true);
  message().blocks().note_held(0, 5);
  lose({3, 9}, {0, 10});
  EXPECT_THAT(queued(), ElementsAre(3, 9));
}

TEST_F(RepairsTest, when_coded_segments_run_out_the_lost_ones_go_out_twice) {
  use(6, true);
  message().blocks()[0].next_coded = most_repair_segments - 1;
  lose({3, 9});
  EXPECT_THAT(queued(), ElementsAre(3, 9, -1));
  EXPECT_THAT(queued(start + room_->other.path.times.copy_spacing()), ElementsAre(3, 9));
}

TEST_F(RepairsTest, every_block_is_repaired_by_itself) {
  use_two_blocks();
  message().blocks().note_held(0, 1);
  lose({99, 100}, {0, 200});
  EXPECT_THAT(queued(), ElementsAre(100)) << "the first block lacks nothing";
}

TEST_F(RepairsTest, what_is_under_way_to_one_block_is_of_no_use_to_another) {
  use_two_blocks();
  lose({3}, {0, 200});
  lose({150}, {0, 200});
  EXPECT_EQ(planner_->asked_lacking, 1);
  EXPECT_THAT(queued(), ElementsAre(3, 150));
}

}  // namespace
}  // namespace lbsp::transport
