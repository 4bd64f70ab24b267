#include "transport/impairment/wan_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error_of(std::string_view text) {
  try {
    parse_wan_spec(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(WanSpec, reads_every_key) {
  const auto spec = parse_wan_spec(
      "loss=10%,rtt=70ms,rate=100Mbit,jitter=5ms,burst=4,reorder=1%,overtake=3%,duplicate=2%,corrupt=0.1,"
      "queue=64KiB,down=50Mbit,mtu=1280,ecn=30KiB");
  EXPECT_EQ(spec.loss, 0.1);
  EXPECT_EQ(spec.round_trip_time, 70ms);
  EXPECT_EQ(spec.rate, megabits_per_second(100));
  EXPECT_EQ(spec.jitter, 5ms);
  EXPECT_EQ(spec.burst, 4);
  EXPECT_EQ(spec.reorder, 0.01);
  EXPECT_EQ(spec.overtake, 0.03);
  EXPECT_EQ(spec.duplicate, 0.02);
  EXPECT_EQ(spec.corrupt, 0.1);
  EXPECT_EQ(spec.queue_bytes, 65536u);
  EXPECT_EQ(spec.downlink, megabits_per_second(50));
  EXPECT_EQ(spec.mtu_bytes, 1280u);
  EXPECT_EQ(spec.ecn_bytes, 30u * 1024);
  EXPECT_EQ(to_string(parse_wan_spec("rate=8Mbit,ecn=30KiB")), "rate=8Mbit,ecn=30KiB");
}

/// As it is written, too.
TEST(WanSpec, reads_the_longest_runs_of_losses) {
  for (const char* const text : {"burst=1e9", "burst=1e+300"}) {
    const auto spec = parse_wan_spec(text);
    EXPECT_GE(spec.burst, 1e9);
    EXPECT_EQ(parse_wan_spec(to_string(spec)).burst, spec.burst);
  }
}

TEST(WanSpec, keeps_of_another_what_it_does_not_name) {
  const auto before = parse_wan_spec("loss=10%,rtt=70ms,mtu=1280");
  EXPECT_EQ(to_string(parse_wan_spec("rtt=20ms", before)), "loss=10%,rtt=20ms,mtu=1280");
}

TEST(WanSpec, that_a_sender_pretends_by_itself_has_no_downlink) {
  EXPECT_EQ(parse_pretended_wan_spec("loss=1%"), parse_wan_spec("loss=1%"));
  EXPECT_THROW(parse_pretended_wan_spec("down=1Mbit"), UsageError);
  EXPECT_THAT([] { parse_pretended_wan_spec("lose=10%"); },
              ::testing::ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("'lose' is not a property of a WAN: use loss, "), Not(HasSubstr("down")))));
  EXPECT_THAT(error_of("lose=10%"), HasSubstr("queue, down, mtu or ecn"));
}

TEST(WanSpec, that_a_sender_pretends_by_itself_has_a_queue_only_with_a_rate) {
  const auto error = [](const std::string& text) {
    try {
      parse_pretended_wan_spec(text);
    } catch (const UsageError& refused) {
      return std::string(refused.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error("ecn=1B"),
            "WAN ecn=: without a rate nothing waits in a queue: give rate= too, such as rate=100Mbit");
  EXPECT_EQ(error("rtt=2ms,queue=64KiB"),
            "WAN queue=: without a rate nothing waits in a queue: give rate= too, such as rate=100Mbit");
  EXPECT_THAT(error("queue=0B"), HasSubstr("WAN queue=: without a rate"));
  EXPECT_EQ(error("rate=8Mbit,queue=64KiB,ecn=30KiB"), "no error");
}

TEST(WanSpec, leaves_what_is_not_given_perfect) {
  WanSpec expected;
  expected.loss = 1;
  EXPECT_EQ(parse_wan_spec("loss=100%"), expected);
  EXPECT_EQ(WanSpec{}.queue_bytes, 256u * 1024);
  EXPECT_FALSE(WanSpec{}.rate);
}

TEST(WanSpec, names_the_part_that_is_wrong_and_what_to_write) {
  EXPECT_THAT(error_of(""), HasSubstr("is not key=value: write such as loss=10%"));
  EXPECT_THAT(error_of("loss"), HasSubstr("'loss' in the WAN 'loss' is not key=value"));
  EXPECT_THAT(error_of("loss=1%,"), HasSubstr("'' in the WAN 'loss=1%,' is not key=value"));
  EXPECT_THAT(error_of("latency=3ms"),
              AllOf(HasSubstr("'latency' is not a property of a WAN"), HasSubstr("rtt")));
  EXPECT_THAT(error_of("loss=1%,rtt=2ms,loss=1%"), HasSubstr("'loss' stands twice"));
  EXPECT_THAT(error_of("loss=110%"), HasSubstr("WAN loss='110%' is not a fraction"));
  EXPECT_THAT(error_of("rtt=20"), HasSubstr("WAN rtt='20' is not a time: write"));
  EXPECT_THAT(error_of("rtt=2h"), HasSubstr("WAN rtt='2h' is longer than 1h: write"));
  EXPECT_THAT(error_of("rate=fast"), HasSubstr("WAN rate='fast' is not a rate"));
  for (const auto* text : {"mtu=283", "mtu=65536"})
    EXPECT_THAT(error_of(text),
                HasSubstr("is not the length of a packet that a job can use: write 284 to 65535"));
  EXPECT_THAT(error_of("queue=-1B"), HasSubstr("WAN queue='-1B' is not a size"));
  for (const auto* text :
       {"burst=0.5", "burst=0", "burst=nan", "burst=inf", "burst=-4", "burst=4x", "burst="}) {
    EXPECT_THAT(error_of(text), HasSubstr("is not a mean run of losses: write a number of at least 1"))
        << text;
  }
}

TEST(WanSpec, error_is_one_line) {
  EXPECT_THAT(error_of("loss=\n"), Not(HasSubstr("no error")));
}

TEST(WanSpec, is_written_without_what_is_perfect) {
  EXPECT_EQ(to_string(WanSpec{}), "loss=0%");
  EXPECT_EQ(to_string(parse_wan_spec("rtt=20ms,loss=10%")), "loss=10%,rtt=20ms");
}

TEST(WanSpec, written_and_read_again_is_the_same) {
  std::mt19937_64 random(11);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int i = 0; i < 500; ++i) {
    WanSpec spec;
    if (random() % 2 == 0) spec.loss = unit();
    if (random() % 2 == 0)
      spec.round_trip_time = Duration{static_cast<Duration::rep>(random() % 1'000'000'000)};
    if (random() % 2 == 0) spec.rate = BytesPerSecond{1 + unit() * 1e9};
    if (random() % 2 == 0) spec.jitter = Duration{static_cast<Duration::rep>(random() % 10'000'000)};
    if (random() % 2 == 0) spec.downlink = BytesPerSecond{1 + unit() * 1e9};
    if (random() % 2 == 0) spec.mtu_bytes = 284 + random() % 65'000;
    if (random() % 2 == 0) spec.burst = 1 + unit() * 100;
    if (random() % 2 == 0) spec.reorder = unit();
    if (random() % 2 == 0) spec.overtake = unit();
    if (random() % 2 == 0) spec.duplicate = unit();
    if (random() % 2 == 0) spec.corrupt = unit();
    if (random() % 2 == 0) spec.queue_bytes = random() >> (random() % 64);
    EXPECT_EQ(parse_wan_spec(to_string(spec)), spec) << to_string(spec);
  }
}

}  // namespace
}  // namespace lbsp::transport
