#include "lbsp/job/member/change_news.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace lbsp::job::member {
namespace {

using namespace std::chrono_literals;

/// What a launcher is told.
struct ToldChanges {
  Tell tell() {
    return [this](FrameKind kind, const std::string& payload) {
      if (kind == FrameKind::changed) changes.push_back(from_payload<Changed>(payload));
      if (kind == FrameKind::resumed) resumed.push_back(from_payload<Resumed>(payload));
    };
  }
  std::vector<Changed> changes;
  std::vector<Resumed> resumed;
};

constexpr transport::Duration waited_in_vain = 5s;

TEST(ChangeNews, of_a_superstep_that_several_changes_have_ended_count_from_its_beginning) {
  ToldChanges told;
  ChangeNews news(told.tell());
  const auto began = std::chrono::steady_clock::now() - waited_in_vain;
  news.tell({.epoch = 1, .members = {0, 1}, .lost = {2}}, began);
  news.tell({.epoch = 2, .members = {0}, .lost = {1}}, began + 4s);
  news.tell_resumed(2);
  EXPECT_EQ(told.changes.size(), 2U);
  ASSERT_EQ(told.resumed.size(), 1U);
  EXPECT_EQ(told.resumed[0].epoch, 2U);
  ASSERT_TRUE(told.resumed[0].waited);
  EXPECT_GE(*told.resumed[0].waited, waited_in_vain);
  EXPECT_GE(news.changed_at(), began + waited_in_vain);
}

TEST(ChangeNews, of_a_new_process_or_of_one_that_has_got_on_since_have_no_time_in_vain) {
  ToldChanges told;
  ChangeNews news(told.tell());
  news.tell({.epoch = 1, .members = {0, 1}, .lost = {}, .seated = {1}, .newcomers = {7}}, {});
  news.tell_resumed(1);
  news.tell({.epoch = 2, .members = {0}, .lost = {1}}, std::chrono::steady_clock::now() - waited_in_vain);
  news.tell_resumed(2);
  news.tell({.epoch = 3, .members = {0}, .lost = {}}, {});
  news.tell_resumed(3);
  ASSERT_EQ(told.resumed.size(), 3U);
  EXPECT_FALSE(told.resumed[0].waited);
  EXPECT_TRUE(told.resumed[1].waited);
  EXPECT_FALSE(told.resumed[2].waited);
}

}  // namespace
}  // namespace lbsp::job::member
