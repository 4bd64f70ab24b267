#include "transport/membership/proposal.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

/// What the members 0 … n-1 have told. All hear each other unless said otherwise.
class Told {
 public:
  explicit Told(Slot size) : views_(static_cast<std::size_t>(size)) {
    for (View& view : views_) {
      view.hears = MemberSet::first(size);
      view.held = {4, 5};
    }
  }
  View& operator[](Slot slot) { return views_[static_cast<std::size_t>(slot)]; }
  std::vector<Report> by(std::initializer_list<Slot> slots) {
    std::vector<Report> reports;
    for (const Slot slot : slots)
      reports.push_back({slot, &(*this)[slot]});
    return reports;
  }

 private:
  std::vector<View> views_;
};

AgreementConfig of_size(Slot size) {
  AgreementConfig config;
  config.members = MemberSet::first(size);
  return config;
}

TEST(Proposal, who_reported_and_is_heard_by_all_goes_on) {
  Told told(5);
  const auto value = value_after(told.by({0, 1, 3, 4}), of_size(5));
  ASSERT_TRUE(value);
  EXPECT_EQ(value->members, (MemberSet{0, 1, 3, 4}));
  EXPECT_EQ(value->boundary, 5u);
}

TEST(Proposal, of_two_that_do_not_hear_each_other_the_higher_is_left_out) {
  Told told(4);
  told[1].hears.remove(2);
  EXPECT_EQ(all_hear_each_other(told.by({0, 1, 2, 3})), (MemberSet{0, 1, 3}));
}

TEST(Proposal, of_two_that_do_not_hear_each_other_the_one_whose_host_refuses_to_send_is_left_out) {
  Told told(4);
  told[1].hears.remove(2);
  told[2].hears.remove(1);
  told[1].suspects = {2};
  told[2].suspects = {1};
  told[1].refused = {2};
  EXPECT_EQ(all_hear_each_other(told.by({0, 1, 2, 3})), (MemberSet{0, 2, 3}));
}

TEST(Proposal, a_host_of_two_that_refuses_to_send_to_one_is_left_out_where_the_others_are_enough) {
  Told told(5);
  for (const Slot slot : {3, 4}) {
    told[1].hears.remove(slot);
    told[1].suspects.add(slot);
    told[slot].refused = {1};
  }
  EXPECT_EQ(value_after(told.by({0, 1, 2, 3, 4}), of_size(5))->members, (MemberSet{0, 1, 2}));
  EXPECT_EQ(value_after(told.by({0, 1, 3, 4}), of_size(5))->members, (MemberSet{0, 3, 4}))
      << "two of five could not go on";
}

TEST(Proposal, of_two_hosts_that_both_refuse_to_send_to_the_other_whoever_misses_most_is_left_out) {
  Told told(5);
  for (const Slot slot : {3, 4}) {
    told[1].hears.remove(slot);
    told[slot].hears.remove(1);
    told[slot].refused = {1};
  }
  told[1].refused = {3, 4};
  EXPECT_EQ(value_after(told.by({0, 1, 2, 3, 4}), of_size(5))->members, (MemberSet{0, 2, 3, 4}));
}

TEST(Proposal, a_host_that_refuses_to_send_to_who_is_gone_anyway_is_no_worse_than_others) {
  Told told(4);
  told[1].hears.remove(2);
  told[1].refused = {3};
  EXPECT_EQ(all_hear_each_other(told.by({0, 1, 2})), (MemberSet{0, 1}));
}

TEST(Proposal, of_two_that_do_not_hear_each_other_one_that_has_just_come_is_left_out) {
  Told told(4);
  told[3].hears.remove(2);
  told[3].suspects = {2};  // what comes from there is dropped at the new one's door
  AgreementConfig config = of_size(4);
  EXPECT_EQ(value_after(told.by({0, 1, 2, 3}), config)->members, (MemberSet{0, 1, 3}));
  config.new_here = {3};
  EXPECT_EQ(value_after(told.by({0, 1, 2, 3}), config)->members, (MemberSet{0, 1, 2}));
  config.new_here = {0};
  EXPECT_EQ(value_after(told.by({0, 1, 2, 3}), config)->members, (MemberSet{0, 1, 3}))
      << "it does hear all, and is heard";
}

TEST(Proposal, who_was_silent_is_left_out_and_not_who_noticed) {
  Told told(6);
  for (const Slot slot : {0, 1, 2, 5})
    told[slot].suspects = {4};
  told[5].hears.remove(4);  // its report is older than the first sign of life
  EXPECT_EQ(all_hear_each_other(told.by({0, 1, 2, 3, 4, 5})), (MemberSet{0, 1, 2, 3, 5}));
}

TEST(Proposal, who_misses_most_is_left_out_alone) {
  Told told(5);
  for (const Slot slot : {1, 2, 3, 4})
    told[slot].hears.remove(0);
  EXPECT_EQ(all_hear_each_other(told.by({0, 1, 2, 3, 4})), (MemberSet{1, 2, 3, 4}));
}

TEST(Proposal, too_few_that_hear_each_other_are_no_value) {
  Told told(4);
  told[0].hears = {0, 1};
  told[1].hears = {0, 1};
  told[2].hears = {2, 3};
  told[3].hears = {2, 3};
  const auto value = value_after(told.by({0, 1, 2, 3}), of_size(4));
  ASSERT_TRUE(value) << "two with the lowest are enough";
  EXPECT_EQ(value->members, (MemberSet{0, 1}));
  told[0].hears = {0};
  EXPECT_FALSE(value_after(told.by({0, 1, 2, 3}), of_size(4)));
}

TEST(Proposal, a_vote_that_was_reported_is_kept_whatever_else_is_known) {
  Told told(3);
  told[1].accepted = Accepted{{1, 0}, {.members = {0, 1}, .boundary = 9, .seats = {}}};
  told[2].accepted = Accepted{{2, 2}, {.members = {1, 2}, .boundary = 8, .seats = {}}};
  EXPECT_EQ(value_after(told.by({0, 1, 2}), of_size(3)), told[2].accepted->value);
  EXPECT_EQ(value_after(told.by({0, 1}), of_size(3)), told[1].accepted->value);
}

TEST(Proposal, the_boundary_is_the_newest_that_all_of_the_members_hold) {
  Told told(3);
  told[0].held = {5, 6};
  told[2].held = {9, 10};
  EXPECT_EQ(common_boundary(told.by({0, 1, 2}), {0, 1}), 5u);
  EXPECT_EQ(common_boundary(told.by({0, 1, 2}), {0, 1, 2}), 0u) << "the beginning";
}

TEST(Proposal, lost_slots_get_the_seats_that_the_caller_gives_them) {
  Told told(3);
  AgreementConfig config = of_size(3);
  config.seats = [](const MemberSet& lost) { return std::vector<Seat>{{lost.lowest(), 4, {}}}; };
  const auto value = value_after(told.by({0, 2}), config);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->seats, (std::vector<Seat>{{1, 4, {}}}));
  config.seats = [](const MemberSet&) { return std::vector<Seat>(99); };
  EXPECT_EQ(value_after(told.by({0, 2}), config)->seats.size(), Decision::most_seats);
}

}  // namespace
}  // namespace lbsp::transport
