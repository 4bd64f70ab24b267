#include "transport/udp/batches/host_refusals.hpp"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"
#include "transport/ending/failure.hpp"
#include "transport/ending/liveness.hpp"
#include "transport/error.hpp"
#include "transport/udp/udp_exchange.hpp"

/// What a host refuses to send, as its own firewall or its routes say, is told for what it is.
namespace lbsp::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace testing;
using namespace std::chrono_literals;
using Change = HostRefusals::Change;

TEST(HostRefusals, are_told_once_until_something_goes_there_again) {
  HostRefusals refusals;
  refusals.taken(1);
  EXPECT_THAT(refusals.take_changes(), IsEmpty());
  refusals.refused(1, EPERM);
  refusals.refused(1, EPERM);
  refusals.taken(2);
  refusals.refused(1, ENETUNREACH);
  EXPECT_THAT(refusals.take_changes(), ElementsAre(Change{1, EPERM}, Change{1, ENETUNREACH}));
  refusals.taken(1);
  refusals.taken(1);
  EXPECT_THAT(refusals.take_changes(), ElementsAre(Change{1, 0}));
}

TEST(HostRefusals, are_not_what_is_full_or_too_long) {
  HostRefusals refusals;
  refusals.refused(1, ENOBUFS);
  refusals.refused(1, EMSGSIZE);
  EXPECT_THAT(refusals.take_changes(), IsEmpty());
}

struct RefusingRooms : RoomState<ReceiverDriven> {
  using RoomState::RoomState;
  Liveness liveness{state, farewell, *recovery, start};

  Instant limit() {
    liveness.set_limits(other);
    return other.timers.at(Timer::silence);
  }
};

TEST(HostRefusals, end_the_wait_before_a_peer_that_hears_nothing_ends_it) {
  RefusingRooms rooms;
  rooms.other.outbound.refused_by_host = {EPERM, start + 1s};
  rooms.other.inbound.last_heard = start + 10s;
  const Instant end = rooms.limit();
  EXPECT_GT(end, start + 1s + patience / 2);
  EXPECT_LT(end, start + 1s + patience * 7 / 8)
      << "the peer heard last what went an eighth of the limit before";
  rooms.other.outbound.refused_by_host.error = 0;
  EXPECT_EQ(rooms.limit(), start + 10s + patience);
}

std::string told(int error) {
  RefusingRooms rooms;
  rooms.other.outbound.refused_by_host = {error, start + 1s};
  return failure_from(rooms.liveness.verdict(rooms.other, start + 13s),
                      {"on a at 10.0.0.1:4000", "on b at 10.0.0.2:4000"})
      .message;
}

TEST(HostRefusals, are_named_with_the_system_s_error_and_what_to_look_at) {
  EXPECT_EQ(
      told(EPERM),
      "rank 0 on a at 10.0.0.1:4000, in superstep 0, has sent nothing to rank 1 for 12.0 s, as its own host "
      "refuses that (Operation not permitted): look at the firewall there");
  EXPECT_THAT(told(ENETUNREACH),
              HasSubstr("(Network is unreachable): look at the routes and interfaces there"));
}

TEST(HostRefusals, that_are_young_or_over_are_not_the_cause) {
  RefusingRooms rooms;
  rooms.other.outbound.refused_by_host = {EPERM, start + 14s};
  EXPECT_EQ(rooms.liveness.verdict(rooms.other, start + patience).reason, AbortReason::never_heard);
  rooms.other.outbound.refused_by_host = {0, start};
  EXPECT_EQ(rooms.liveness.verdict(rooms.other, start + patience).reason, AbortReason::never_heard);
}

/// The system lets only those send to all who have asked for it.
TEST(HostRefusals, are_what_a_rank_over_sockets_ends_with) {
  auto port = UdpPort::bind("127.0.0.1", 0);
  UdpJob job;
  job.addresses = {{"127.0.0.1", port.port()}, {"127.255.255.255", 9}};
  job.options.peer_timeout = 400ms;
  UdpExchange exchange(std::move(port), job);
  try {
    exchange.exchange(std::vector<Bytes>(2));
    ADD_FAILURE() << "it was sent";
  } catch (const PeerLost& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("its own host refuses that (Permission denied): look at the firewall and routes there"));
    EXPECT_EQ(error.rank(), 0);
  }
}

}  // namespace
}  // namespace lbsp::transport
