#include "transport/lasting/membership.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <vector>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

using MembershipDatagram = std::array<std::byte, 1400>;

EndpointConfig job_of_slot(Slot slot) {
  EndpointConfig job;
  job.rank = slot;
  job.size = 3;
  job.options.outlives_ranks = true;
  return job;
}

/// In the first epoch, with these members.
struct MembershipOf {
  MembershipOf(Slot self, const MemberSet& members) : membership(job_of_slot(self)) {
    membership.begin_epoch({.members = members, .round_trip = 10ms}, start);
  }
  Membership* operator->() { return &membership; }
  const std::optional<Decision>& decided() const { return membership.agreement().view().decided; }

  /// The epoch that has been decided.
  void go_on() {
    const Letter letter{
        .epoch = 1, .before = membership.agreement().config().members, .value = *decided(), .hosts = {}};
    membership.end_epoch(letter);
    membership.begin_epoch({.epoch = 1, .members = letter.members(), .round_trip = 10ms}, start);
  }

  Membership membership;
};

/// A new process that wants slot 1.
class OneThatKnocks {
 public:
  std::optional<Station> at(MembershipOf& member, Instant now) {
    MembershipDatagram knock{};
    const std::size_t bytes = channel_.write(0, knock);
    return member->take_knock(std::span(knock).first(bytes), now);
  }
  std::optional<Letter> reads(std::span<std::byte> datagram) const { return channel_.read(datagram); }
  const Seat& seat() const { return seat_; }

 private:
  Seat seat_{.slot = 1, .spare = 0, .incarnation = {{std::byte{7}}}};
  KnockChannel channel_{JobKey{}, seat_, 3, EndpointConfig{}.cipher};
};

TEST(Membership, lets_somebody_in_who_is_in_nobodys_place_only_where_the_job_grows) {
  MembershipOf member(0, {0});
  OneThatKnocks newcomer;
  EXPECT_EQ(newcomer.at(member, start), MemberSet::most);
  member->invite_who_knocks(start);
  EXPECT_FALSE(member->agreeing());
  member->grow();
  member->invite_who_knocks(start);
  ASSERT_TRUE(member.decided());
  EXPECT_EQ(member.decided()->seats, std::vector<Seat>{newcomer.seat()});
}

TEST(Membership, invites_nobody_who_has_ceased_to_knock) {
  MembershipOf member(0, {0});
  member->grow();
  OneThatKnocks newcomer;
  newcomer.at(member, start);
  member->invite_who_knocks(start + 501ms);
  EXPECT_FALSE(member->agreeing());
  newcomer.at(member, start + 600ms);
  member->invite_who_knocks(start + 1100ms);
  EXPECT_TRUE(member->agreeing());
}

TEST(Membership, leaves_it_to_the_lowest_slot_to_invite) {
  MembershipOf member(2, {0, 2});
  member->grow();
  MembershipDatagram knock{};
  const Seat seat{.slot = 1, .spare = 0, .incarnation = {{std::byte{7}}}};
  const std::size_t bytes = KnockChannel({}, seat, 3, EndpointConfig{}.cipher).write(2, knock);
  ASSERT_TRUE(member->take_knock(std::span(knock).first(bytes), start));
  member->invite_who_knocks(start);
  EXPECT_FALSE(member->agreeing());
}

TEST(Membership, tells_who_has_got_a_seat_by_letter) {
  MembershipOf member(0, {0});
  member->grow();
  OneThatKnocks newcomer;
  const auto station = newcomer.at(member, start);
  MembershipDatagram buffer{};
  EXPECT_FALSE(member->next_datagram(Membership::Says::letters, buffer, start));
  member->invite_who_knocks(start);
  ASSERT_TRUE(member.decided());
  member.go_on();
  EXPECT_EQ(member->callers().station_of(1), station);
  const auto sent = member->next_datagram(Membership::Says::letters, buffer, start);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->to, station);
  const auto letter = newcomer.reads(std::span(buffer).first(sent->bytes));
  ASSERT_TRUE(letter);
  EXPECT_EQ(letter->epoch, 1U);
  EXPECT_EQ(letter->members(), (MemberSet{0, 1}));
}

TEST(Membership, spreads_by_views) {
  MembershipOf one(0, {0, 1, 2});
  MembershipOf other(1, {0, 1, 2});
  one->take_notice({.slot = 2, .epoch = 0, .ended = true}, start);
  EXPECT_TRUE(one->agreeing());
  MembershipDatagram view{};
  const auto sent = one->next_datagram(Membership::Says::all, view, start);
  ASSERT_TRUE(sent);
  ASSERT_EQ(sent->to, 1);
  EXPECT_FALSE(other->agreeing());
  other->take_view(std::span(view).first(sent->bytes), start);
  EXPECT_TRUE(other->agreeing());
}

TEST(Membership, is_not_doubted_by_a_notice_of_who_had_the_slot_before) {
  MembershipOf member(0, {0});
  member->grow();
  OneThatKnocks newcomer;
  newcomer.at(member, start);
  member->invite_who_knocks(start);
  ASSERT_TRUE(member.decided());
  member.go_on();
  member->take_notice({.slot = 1, .epoch = 0, .ended = true}, start);
  EXPECT_FALSE(member->agreeing());
  member->take_notice({.slot = 1, .epoch = 1, .ended = true}, start);
  EXPECT_TRUE(member->agreeing());
}

TEST(Membership, takes_no_notice_of_a_slot_that_cannot_be) {
  MembershipOf member(0, {0, 1});
  member->take_notice({.slot = -1, .epoch = 0, .ended = true}, start);
  member->take_notice({.slot = MemberSet::most, .epoch = 0, .ended = true}, start);
  EXPECT_FALSE(member->agreeing());
}

}  // namespace
}  // namespace lbsp::transport
