#include "transport/membership/others_views.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Instant first{1s};

View view_of(std::uint32_t version, const Ballot& promised = {}) {
  View view;
  view.version = version;
  view.promised = promised;
  return view;
}

TEST(OthersViews, are_the_newest_that_each_has_said_whatever_arrives_last) {
  OthersViews views(MemberSet::first(3));
  EXPECT_TRUE(views.take(1, view_of(2, {1, 0}), first));
  EXPECT_FALSE(views.take(1, view_of(1), first + 1s)) << "an older one";
  EXPECT_FALSE(views.take(1, view_of(2), first + 1s)) << "the same";
  EXPECT_EQ(views.of(1).promised, (Ballot{1, 0}));
  EXPECT_EQ(views.who_spoke_since(first), MemberSet{1});
  EXPECT_EQ(views.who_spoke_since(first + 1ms), MemberSet{}) << "what was known is no news";
}

TEST(OthersViews, miss_whom_any_of_them_misses) {
  OthersViews views(MemberSet::first(5));
  EXPECT_EQ(views.suspects(), MemberSet{});
  View view = view_of(1);
  view.suspects = {2};
  views.take(1, view, first);
  view.suspects = {2, 4};
  views.take(3, view, first);
  EXPECT_EQ(views.suspects(), (MemberSet{2, 4}));
}

TEST(OthersViews, tell_who_promised_a_ballot_and_who_voted_in_it) {
  OthersViews views(MemberSet::first(4));
  const Ballot ballot{3, 1};
  views.take(1, view_of(1, ballot), first);
  View voted = view_of(1, ballot);
  voted.accepted = Accepted{ballot, {}};
  views.take(2, voted, first);
  views.take(3, view_of(1, {4, 3}), first);
  EXPECT_EQ(views.who_promised(ballot), (MemberSet{1, 2}));
  EXPECT_EQ(views.who_voted(ballot), MemberSet{2});
  EXPECT_EQ(views.who_voted({4, 3}), MemberSet{});
}

}  // namespace
}  // namespace lbsp::transport
