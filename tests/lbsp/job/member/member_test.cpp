#include "lbsp/job/member/member.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/lbsp/idle_exchange.hpp"
#include "transport/error.hpp"

namespace lbsp::job::member {
namespace {

using namespace std::chrono_literals;

/// Its first superstep never ends: after a while the world is another one.
class ChangingExchange final : public test::IdleExchange {
 public:
  explicit ChangingExchange(std::chrono::milliseconds stands,
                            transport::WorldChange change = {.epoch = 1, .members = {0}, .lost = {1}})
      : stands_(stands), change_(std::move(change)) {}
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    if (std::exchange(changed_, true)) return outgoing;
    std::this_thread::sleep_for(stands_);
    throw WorldChanged(change_);
  }

 private:
  std::chrono::milliseconds stands_;
  transport::WorldChange change_;
  bool changed_ = false;
};

TEST(Member, has_not_computed_while_it_stood_still_for_a_change_of_the_world) {
  constexpr std::chrono::milliseconds stands{300};
  std::vector<RankReport> seen;
  Member member(
      std::make_unique<ChangingExchange>(stands),
      [&](FrameKind kind, const std::string& payload) {
        if (kind == FrameKind::seen) seen.push_back(from_payload<RankReport>(payload));
      },
      Survival{.outlives_ranks = true});
  EXPECT_TRUE(member.run([&](World& world) {
    if (world.change()) member.account().show();
    world.sync();
    member.account().show();
  }));
  ASSERT_EQ(seen.size(), 2U);
  for (const RankReport& report : seen) {
    EXPECT_GE(report.totals.communicate, stands);
    EXPECT_NEAR((report.total - report.totals.communicate).count(), report.totals.compute.count(), 1e-6);
    EXPECT_LT(report.totals.compute, stands / 2) << "it computed nothing";
  }
}

/// Where it told of both at once, a loss that another rank has told of already would count twice.
TEST(Member, tells_of_each_world_by_itself_that_has_come_while_it_computed) {
  std::vector<Changed> told;
  const transport::WorldChange lost{.epoch = 1, .members = {0, 2}, .lost = {1}};
  const transport::WorldChange back{
      .epoch = 2, .members = {0, 1, 2}, .lost = {}, .seated = {1}, .newcomers = {7}};
  Member member(
      std::make_unique<ChangingExchange>(0ms, transport::followed_by(lost, back)),
      [&](FrameKind kind, const std::string& payload) {
        if (kind == FrameKind::changed) told.push_back(from_payload<Changed>(payload));
      },
      Survival{.outlives_ranks = true});
  EXPECT_TRUE(member.run([&](World& world) { world.sync(); }));
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].epoch, 1U);
  EXPECT_EQ(told[0].lost, std::vector<Rank>{1});
  EXPECT_TRUE(told[0].seated.empty());
  EXPECT_EQ(told[1].epoch, 2U);
  EXPECT_TRUE(told[1].lost.empty());
  EXPECT_EQ(told[1].seated, std::vector<Rank>{1});
  EXPECT_EQ(told[1].newcomers, back.newcomers);
}

}  // namespace
}  // namespace lbsp::job::member
