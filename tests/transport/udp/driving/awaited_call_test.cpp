#include "transport/udp/driving/awaited_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>

#include "transport/error.hpp"
#include "transport/udp/leg_beginnings.hpp"

namespace lbsp::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool never_is_done(const LastingEndpoint&) {
  return false;
}

/// Rank 0 of so many, of which the others say nothing.
struct WhoCalls {
  explicit WhoCalls(std::size_t ranks) : driver(UdpPort::bind("127.0.0.1", 0), job(ranks)) {}

  UdpJob job(std::size_t ranks) const {
    UdpJob job;
    job.addresses.assign(ranks, {"127.0.0.1", silent.port()});
    return job;
  }
  void begin_exchange() {
    const Instant now = UdpDriver::now();
    std::vector<Bytes> messages(static_cast<std::size_t>(driver.endpoint().world().size()));
    driver.endpoint().begin([&](Endpoint& endpoint) { endpoint.begin_exchange(std::move(messages), now); },
                            now);
  }

  UdpPort silent = UdpPort::bind("127.0.0.1", 0);
  Outcome outcome{{0, 1}};
  UdpDriver driver;
  AwaitedCall call{driver, outcome};
};

TEST(AwaitedCall, is_over_when_what_it_waits_for_is_there) {
  WhoCalls of(1);
  of.begin_exchange();
  of.call.look();
  EXPECT_FALSE(of.outcome.over()) << "no call waits";
  of.call.begin(leg_is_over, true);
  of.call.look();
  ASSERT_TRUE(of.outcome.over());
  EXPECT_EQ(of.outcome.take().size(), 1U);
  of.call.look();
  EXPECT_FALSE(of.outcome.over()) << "it was over once";
}

TEST(AwaitedCall, that_waits_for_no_messages_gets_none) {
  WhoCalls of(1);
  of.begin_exchange();
  of.call.begin(leg_is_over, false);
  of.call.look();
  ASSERT_TRUE(of.outcome.over());
  EXPECT_THAT(of.outcome.take(), IsEmpty());
}

TEST(AwaitedCall, is_over_with_an_error_when_the_endpoint_has_failed) {
  WhoCalls of(1);
  of.call.begin(never_is_done, true);
  of.call.look();
  EXPECT_FALSE(of.outcome.over());
  of.driver.endpoint().abort("enough", UdpDriver::now());
  of.call.look();
  ASSERT_TRUE(of.outcome.over());
  EXPECT_THROW(of.outcome.take(), Aborted);
}

TEST(AwaitedCall, is_over_before_it_waits_if_it_cannot_begin) {
  WhoCalls of(1);
  of.call.fail(std::make_exception_ptr(std::runtime_error("no memory")));
  ASSERT_TRUE(of.outcome.over());
  EXPECT_THROW(of.outcome.take(), std::runtime_error);
}

TEST(AwaitedCall, tells_for_whom_it_waits_if_somebody_asks) {
  WhoCalls of(3);
  of.begin_exchange();
  of.call.begin(leg_is_over, true);
  of.call.look();
  EXPECT_THAT(of.outcome.awaited(), IsEmpty());
  of.call.ask_for_awaited();
  of.call.look();
  EXPECT_THAT(of.outcome.awaited(), ElementsAre(1, 2));
  EXPECT_FALSE(of.outcome.over());
}

}  // namespace
}  // namespace lbsp::transport
