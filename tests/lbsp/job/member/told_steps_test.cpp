#include "lbsp/job/member/told_steps.hpp"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "lbsp/job/messages.hpp"

namespace lbsp::job::member {
namespace {

using Clock = std::chrono::steady_clock;

struct Told {
  std::vector<Steps> steps;
  std::vector<Packets> packets;

  Tell ear() {
    return [this](FrameKind kind, const std::string& payload) {
      if (kind == FrameKind::steps) steps.push_back(from_payload<Steps>(payload));
      if (kind == FrameKind::packets) packets.push_back(from_payload<Packets>(payload));
    };
  }
};

History history_of(int supersteps) {
  History history;
  for (int i = 0; i < supersteps; ++i)
    history.add(SuperstepFigures{.compute = Seconds{1}, .h = static_cast<std::uint64_t>(i), .traffic = {}});
  return history;
}

TEST(ToldSteps, come_in_frames_of_four_thousand_records_that_follow_each_other) {
  Told told;
  ToldSteps steps;
  steps.tell(told.ear(), history_of(10'000), 4, Clock::now());
  ASSERT_EQ(told.steps.size(), 3U);
  std::uint64_t next = 0;
  for (const Steps& frame : told.steps) {
    EXPECT_EQ(frame.first, next);
    EXPECT_EQ(frame.figures.front().h, next);
    EXPECT_TRUE(frame.traced.empty());
    next += frame.figures.size();
  }
  EXPECT_EQ(next, 10'000U);
  EXPECT_TRUE(told.packets.empty()) << "there is no log";
  EXPECT_TRUE(steps.path_counts().empty());
}

TEST(ToldSteps, are_told_once) {
  Told told;
  ToldSteps steps;
  const History history = history_of(3);
  steps.tell(told.ear(), history, 4, Clock::now());
  steps.tell(told.ear(), history, 4, Clock::now());
  EXPECT_EQ(told.steps.size(), 1U);
}

TEST(ToldSteps, with_a_log_have_its_datagrams_since_the_world_began) {
  const auto began = Clock::now();
  const auto log = std::make_shared<transport::PathLog>(4, 2);
  for (const int milliseconds : {1, 2, 3})
    log->add({.peer = 1,
              .at = transport::Instant{began.time_since_epoch()} + std::chrono::milliseconds{milliseconds}});
  log->count({.peer = 1, .datagrams = 10, .lost = 2});
  Told told;
  ToldSteps steps;
  steps.trace(log);
  steps.tell(told.ear(), history_of(1), 4, began);
  ASSERT_EQ(told.packets.size(), 1U);
  EXPECT_EQ(told.packets[0].dropped, 1U);
  ASSERT_EQ(told.packets[0].events.size(), 2U);
  EXPECT_EQ(told.packets[0].events[0].at, transport::Instant{std::chrono::milliseconds{2}});
  EXPECT_EQ(steps.path_counts(), (std::vector<transport::PathCounts>{{1, 10, 2}}));
}

}  // namespace
}  // namespace lbsp::job::member
