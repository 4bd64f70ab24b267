#include "lbsp/job/member/account.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lbsp/survival/carried.hpp"
#include "tests/lbsp/idle_exchange.hpp"

namespace lbsp::job::member {
namespace {

using namespace std::chrono_literals;

/// A rank, and what its launcher is told of it.
struct AccountedRank {
  std::map<FrameKind, std::vector<RankReport>> told;
  int steps_frames = 0;
  HeldExchange held{std::make_unique<test::IdleExchange>()};
  ObservedExchange observed{held.get(), [](std::string_view) {}};
  Account account{[this](FrameKind kind, const std::string& payload) {
                    if (kind == FrameKind::steps) {
                      ++steps_frames;
                    } else {
                      told[kind].push_back(from_payload<RankReport>(payload));
                    }
                  },
                  observed, held};
};

TEST(Account, tells_what_there_is_so_far_and_then_all_and_then_nothing) {
  AccountedRank rank;
  Carried carried{Survival{}};
  World world(rank.observed, carried);
  rank.account.joined_in(2s);
  rank.account.watch(world);
  world.sync();
  rank.account.report_so_far();
  rank.account.show();
  world.sync();
  rank.account.left_in(3s);
  rank.account.report(world, 7s);
  rank.held.let_go();
  rank.account.report_so_far();
  rank.account.show();

  ASSERT_EQ(rank.told[FrameKind::interim].size(), 1U);
  EXPECT_EQ(rank.told[FrameKind::interim][0].supersteps, 1U);
  EXPECT_EQ(rank.told[FrameKind::interim][0].start, Seconds(2));
  ASSERT_EQ(rank.told[FrameKind::seen].size(), 1U);
  EXPECT_EQ(rank.told[FrameKind::seen][0].supersteps, 1U);
  ASSERT_EQ(rank.told[FrameKind::report].size(), 1U);
  const RankReport& report = rank.told[FrameKind::report][0];
  EXPECT_EQ(report.supersteps, 2U);
  EXPECT_EQ(report.total, Seconds(7));
  EXPECT_EQ(report.start, Seconds(2));
  EXPECT_EQ(report.end, Seconds(3));
  EXPECT_EQ(rank.steps_frames, 1) << "the steps are told once";
}

TEST(Account, of_several_worlds_has_the_sums_of_those_before) {
  AccountedRank rank;
  Carried carried{Survival{}};
  {
    World first(rank.observed, carried);
    rank.account.watch(first);
    first.sync();
    first.sync();
    rank.account.leave_world(first, 4s, std::chrono::steady_clock::now());
  }
  World second(rank.observed, carried);
  rank.account.watch(second);
  second.sync();
  rank.account.report(second, 3s);
  ASSERT_EQ(rank.told[FrameKind::report].size(), 1U);
  EXPECT_EQ(rank.told[FrameKind::report][0].supersteps, 3U);
  EXPECT_EQ(rank.told[FrameKind::report][0].total, Seconds(7));
}

}  // namespace
}  // namespace lbsp::job::member
