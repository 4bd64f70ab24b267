#include "transport/membership/deliberation.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <vector>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Instant start_of_epoch{1s};
constexpr Ballot of_zero{1, 0};

/// Member 0 of so many leads, in an agreement that begins after a second. All hear each other unless said otherwise.
struct Leader {
  explicit Leader(Slot size)
      : size(size),
        config{.members = MemberSet::first(size), .round_trip = 10ms},
        views_of_all(static_cast<std::size_t>(size)) {
    for (View& view : views_of_all) {
      view.version = 1;
      view.promised = of_zero;
      view.hears = config.members;
      view.held = {4, 5};
    }
  }

  /// What it proposes when these have reported; all are heard now.
  std::optional<Decision> proposes_after(const MemberSet& reporters, Instant now) {
    std::vector<Report> reports;
    hearing.look(now);
    for (Slot slot = 1; slot < size; ++slot)
      hearing.heard(slot, now);
    reporters.for_each([&](Slot slot) {
      View& view = views_of_all[static_cast<std::size_t>(slot)];
      if (slot != 0) views.take(slot, view, now);
      reports.push_back({slot, &view});
    });
    return deliberation.value_to_propose(of_zero, reports,
                                         {config, hearing, views, start_of_epoch, start_of_epoch}, now);
  }

  Slot size;
  AgreementConfig config;
  std::vector<View> views_of_all;
  Hearing hearing{config, start_of_epoch};
  OthersViews views{MemberSet::first(size)};
  Deliberation deliberation;
};

TEST(Deliberation, does_not_wait_where_all_report) {
  Leader leader(4);
  const auto value = leader.proposes_after({0, 1, 2, 3}, start_of_epoch + 1ms);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->members, MemberSet::first(4));
  EXPECT_EQ(value->boundary, 5U);
}

TEST(Deliberation, waits_three_round_trips_for_one_that_most_others_hear) {
  Leader leader(5);
  EXPECT_FALSE(leader.proposes_after({0, 1, 2, 3}, start_of_epoch + 1ms));
  EXPECT_FALSE(leader.proposes_after({0, 1, 2, 3}, start_of_epoch + 30ms));
  const auto value = leader.proposes_after({0, 1, 2, 3}, start_of_epoch + 31ms);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->members, (MemberSet{0, 1, 2, 3}));
}

TEST(Deliberation, does_not_wait_for_one_that_all_miss) {
  Leader leader(5);
  for (View& view : leader.views_of_all)
    view.hears.remove(4);
  EXPECT_TRUE(leader.proposes_after({0, 1, 2, 3}, start_of_epoch + 1ms));
}

TEST(Deliberation, leaves_nobody_out_who_reports_before_a_quarter_of_the_peer_timeout) {
  Leader leader(5);
  leader.views_of_all[1].hears.remove(3);
  leader.views_of_all[2].hears.remove(3);
  const MemberSet all = MemberSet::first(5);
  EXPECT_FALSE(leader.proposes_after(all, start_of_epoch + 1ms));
  EXPECT_FALSE(leader.proposes_after(all, start_of_epoch + 130ms));
  EXPECT_FALSE(leader.proposes_after(all, start_of_epoch + 250ms)) << "that is not over yet";
  EXPECT_FALSE(leader.proposes_after(all, start_of_epoch + 252ms)) << "nobody has said anything since";
  for (View& view : leader.views_of_all)
    ++view.version;
  const auto value = leader.proposes_after(all, start_of_epoch + 260ms);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->members, (MemberSet{0, 1, 2, 4}));
}

TEST(Deliberation, hears_for_half_of_it_whether_those_who_report_have_something_new_to_say) {
  Leader leader(5);
  leader.views_of_all[1].hears.remove(3);
  leader.views_of_all[2].hears.remove(3);
  std::optional<Decision> value;
  Instant now = start_of_epoch;
  while (!value && now < start_of_epoch + 1s)
    value = leader.proposes_after(MemberSet::first(5), now += 10ms);
  EXPECT_EQ(now, start_of_epoch + 10ms + 500ms) << "they have not";
}

TEST(Deliberation, waits_for_new_processes_as_long_as_it_is_told_to) {
  Leader leader(3);
  leader.config.newcomer_wait = 100ms;
  for (View& view : leader.views_of_all)
    view.hears.remove(2);
  EXPECT_FALSE(leader.proposes_after({0, 1}, start_of_epoch + 50ms));
  EXPECT_EQ(leader.deliberation.left_out(), MemberSet{2});
  EXPECT_TRUE(leader.proposes_after({0, 1}, start_of_epoch + 100ms));
  Leader without(3);
  without.config.newcomer_wait = 100ms;
  for (View& view : without.views_of_all)
    view.hears.remove(2);
  without.hearing.notices().vacate(2);
  EXPECT_TRUE(without.proposes_after({0, 1}, start_of_epoch + 50ms)) << "nobody comes";
}

}  // namespace
}  // namespace lbsp::transport
