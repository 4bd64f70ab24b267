#include <algorithm>
#include <gtest/gtest.h>

#include "tests/transport/sizes/finder_room.hpp"
#include "transport/paths/datagram_sizes.hpp"

/// Trials of paths that carry much less than the rank may send.
namespace lbsp::transport {
namespace {

using namespace testing;

/// The path to rank 1 carries 8 kB a second, and is on trial. Others carry what the rank likes.
struct SlowRoom : FinderRoom<ReceiverDriven> {
  SlowRoom() {
    other.path.rate.tell({8000}, base_datagram_bytes, start);
    begin_leg(100);
    lose_long(6);
  }
};

TEST(SlowTrials, ask_no_faster_than_their_path_carries_while_answers_go_at_once) {
  SlowRoom room;
  Instant now = start;
  double bytes = 0;
  for (const auto& [to, asked] : room.sent(true))
    bytes += static_cast<double>(asked);
  EXPECT_LT(bytes, 6000) << "the burst that a path is allowed, not 22 kB";
  EXPECT_FALSE(room.finder.ready(start));
  room.ask(2, 1472, 1472);
  EXPECT_TRUE(room.finder.ready(start));
  EXPECT_EQ(room.sent(true), (AskedSizes{{2, size_answer_bytes}}));
  for (int i = 0; i < 5; ++i) {
    EXPECT_GT(room.finder.next_release(), now);
    now = room.finder.next_release();
    EXPECT_EQ(room.sent(true, now).size(), 1u);
  }
  EXPECT_TRUE(room.answer(base_datagram_bytes, now));
  EXPECT_EQ(room.finder.next_release(), never);
  EXPECT_LT(room.other.path.rate.next_release(), now + 200ms) << "when data goes on";
}

/// Who judged them then would take the next silence for that of a path on which nothing arrives.
TEST(SlowTrials, are_not_judged_with_half_of_the_answers_while_questions_wait) {
  SlowRoom room;
  room.sent(true);
  for (int i = 0; i < 4; ++i)
    room.answer(small_datagram_bytes);
  room.other.echoed.packets = room.other.outbound.next_packet;
  for (const Duration later : {1s, 2s, 3s, 4s, 5s, 6s})
    room.finder.judge(room.other, start + later);
  EXPECT_TRUE(room.other.path.sizes.on_trial());
}

TEST(SlowTrials, are_over_where_none_of_the_first_questions_is_answered) {
  SlowRoom room;
  room.other.path.sizes.arrived(base_datagram_bytes);
  const Duration timeout = room.other.path.times.probe_timeout();
  Instant now = start;
  while (room.other.timers.at(Timer::size) > now) {
    ASSERT_LE(now, start + 2 * timeout);
    room.sent(true, now);
    now = std::min(room.finder.next_release(), room.other.timers.at(Timer::size));
  }
  EXPECT_TRUE(room.other.path.sizes.on_trial());
  EXPECT_NE(room.finder.next_release(), never) << "not all is asked";
  room.finder.judge(room.other, start + 2 * timeout);
  EXPECT_FALSE(room.other.path.sizes.on_trial());
  EXPECT_EQ(room.other.path.sizes.in_use(), base_datagram_bytes);
}

}  // namespace
}  // namespace lbsp::transport
