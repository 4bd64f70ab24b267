#include "lbsp/job/member/failure_news.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::job::member {
namespace {

TEST(FailureNews, are_of_the_first_failure_only) {
  std::vector<Failure> told;
  FailureNews news([&](FrameKind kind, const std::string& payload) {
    EXPECT_EQ(kind, FrameKind::failure);
    told.push_back(from_payload<Failure>(payload));
  });
  news.tell_abort(3, "it is\nenough");
  news.tell({.message = "another", .consequence = true});
  news.tell_abort(3, "again");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].message, "rank 3 ended the job: it is enough");
  EXPECT_FALSE(told[0].consequence);
}

TEST(FailureNews, that_could_not_be_told_are_told_the_next_time) {
  int calls = 0;
  FailureNews news([&](FrameKind, const std::string&) {
    if (++calls < 3) throw SystemError("the launcher is gone");
  });
  EXPECT_THROW(news.tell({.message = "it is late", .consequence = false}), SystemError);
  news.tell_abort(0, "enough");  // throws nothing
  news.tell({.message = "it is late", .consequence = false});
  EXPECT_EQ(calls, 3);
  news.tell({.message = "it is late", .consequence = false});
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace lbsp::job::member
