#include "transport/sending/datagram_writer.hpp"

#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"
#include "transport/paths/datagram_sizes.hpp"

/// The books that are kept of what is sent.
namespace lbsp::transport {
namespace {

using namespace testing;

constexpr std::size_t large = 1400;

class DatagramWriterTest : public ::testing::Test {
 protected:
  /// Ranks 0 and 1 are on one host, rank 2 on another.
  static EndpointConfig two_hosts() {
    EndpointConfig config = config_of(3);
    config.hosts = {0, 0, 1};
    return config;
  }
  void write(Peer& to, std::size_t bytes, Instant now = start) {
    Bytes buffer(bytes);
    const Transmit written = room_.writer.write(to, DatagramKind::data, buffer, now,
                                                [](WireWriter& out) { out.skip(out.room() - tag_bytes); });
    EXPECT_EQ(written.to, to.rank);
    EXPECT_EQ(written.bytes, bytes);
  }
  /// What is known of the peer's newest datagram when it has arrived.
  static PathEstimate::Sent arrived(Peer& to) {
    Echo echo;
    echo.packets = to.outbound.next_packet;
    return to.path.times.echoed(echo, start + 40ms).value();
  }

  RoomState<ReceiverDriven> room_{two_hosts()};
  Peer& near_ = room_.state.peers[1];
  Peer& far_ = room_.state.peers[2];
};

TEST_F(DatagramWriterTest, a_datagram_is_remembered_with_what_had_been_sent_to_other_hosts_with_it) {
  write(far_, large);
  write(near_, 600);
  write(far_, 500);
  const PathEstimate::Sent far = arrived(far_);
  EXPECT_EQ(far.packet_number, 1u);
  EXPECT_EQ(far.bytes, 500u);
  EXPECT_EQ(far.bytes_so_far, large + 500);
  EXPECT_EQ(far.bytes_to_all, large + 500);
  const PathEstimate::Sent near = arrived(near_);
  EXPECT_EQ(near.bytes_so_far, 600u);
  EXPECT_EQ(near.bytes_to_all, large);
}

TEST_F(DatagramWriterTest, all_datagrams_are_counted_with_all_their_bytes) {
  write(far_, large);
  write(near_, 600);
  EXPECT_EQ(room_.state.counters.datagrams_sent, 2u);
  EXPECT_EQ(room_.state.counters.wire_bytes_sent, large + 600);
}

TEST_F(DatagramWriterTest, what_passes_where_large_ones_do_not_puts_off_the_keepalive) {
  const Instant later = start + 300ms;
  write(far_, small_datagram_bytes + 1, later);
  EXPECT_EQ(far_.outbound.last_small, start);
  EXPECT_EQ(far_.timers.at(Timer::keepalive), never);
  write(far_, small_datagram_bytes, later);
  EXPECT_EQ(far_.outbound.last_small, later);
  EXPECT_EQ(far_.timers.at(Timer::keepalive), later + 1s);
}

TEST_F(DatagramWriterTest, each_datagram_goes_against_the_rate_of_its_path) {
  far_.path.rate.hold(BytesPerSecond{14'000}, large, start);
  for (int i = 0; i < 5; ++i)
    write(far_, large);
  EXPECT_FALSE(far_.path.rate.may_send(start + 99ms)) << "one more than may go at once";
  EXPECT_TRUE(far_.path.rate.may_send(start + 101ms));
}

TEST_F(DatagramWriterTest, what_goes_to_ranks_of_the_same_host_takes_nothing_of_the_rate_to_others) {
  const Instant free = room_.state.rate.next_release();
  for (int i = 0; i < 1000; ++i)
    write(near_, large);
  EXPECT_EQ(room_.state.rate.next_release(), free);
  EXPECT_EQ(room_.state.rate.bytes_sent(), 0u);
  EXPECT_FALSE(room_.state.near_pacer.may_send(start)) << "but of that within the host";
}

TEST_F(DatagramWriterTest, what_goes_to_other_hosts_takes_nothing_of_the_rate_within_the_host) {
  for (int i = 0; i < 1000; ++i)
    write(far_, large);
  EXPECT_TRUE(room_.state.near_pacer.may_send(start));
  EXPECT_FALSE(room_.state.rate.may_send(start));
}

}  // namespace
}  // namespace lbsp::transport
