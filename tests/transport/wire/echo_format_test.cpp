#include <array>
#include <gtest/gtest.h>

#include "byte_values.hpp"
#include "transport/wire/echo.hpp"
#include "transport/wire/rounded.hpp"

/// What an echo tells in twelve bytes, and what of it is known again.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using testing::values;

constexpr Instant start{1h};

std::array<std::byte, echo_bytes> written(const Echo& echo) {
  std::array<std::byte, echo_bytes> bytes{};
  WireWriter out(bytes);
  write(out, echo);
  EXPECT_EQ(out.written(), echo_bytes);
  return bytes;
}

Echo read_back(const Echo& echo) {
  const auto bytes = written(echo);
  WireReader in(bytes);
  const auto read = read_echo(in);
  EXPECT_TRUE(read);
  return read.value_or(Echo{});
}

TEST(EchoFormat, stands_byte_by_byte_as_documented) {
  EXPECT_EQ(values(written({0x0a030201, 2049, 0x0b060504, 0x0c0d0807, {10, 40}})),
            (std::vector<int>{1, 2, 3, 1, 8, 4, 5, 6, 7, 8, 10, 36}));
}

TEST(EchoFormat, a_time_is_rounded_down_by_less_than_a_two_thousandth) {
  for (std::uint64_t held = 1; held < UINT32_MAX; held = held * 21 / 20 + 1) {
    const std::uint32_t told = read_back({1, static_cast<std::uint32_t>(held), 0, 0, {}}).hold_microseconds;
    EXPECT_LE(told, held);
    EXPECT_LE(static_cast<double>(held - told), static_cast<double>(held) / 2048) << held;
  }
  EXPECT_EQ(read_back({1, 2048, 0, 0, {}}).hold_microseconds, 2048u);
  EXPECT_GT(read_back({1, UINT32_MAX, 0, 0, {}}).hold_microseconds, UINT32_MAX - (1u << 20));
}

TEST(EchoFormat, a_loss_is_told_within_a_thirty_second_of_it) {
  for (std::uint32_t loss = 0; loss <= UINT16_MAX; ++loss) {
    const auto sent = static_cast<std::uint16_t>(loss);
    const LossReport told = read_back({1, 0, 0, 0, {sent, sent}}).loss;
    ASSERT_EQ(told.loss, told.loss_after_loss);
    ASSERT_LE(std::abs(static_cast<double>(told.loss) - loss), loss / 32.) << loss;
  }
  EXPECT_EQ(read_back({1, 0, 0, 0, {UINT16_MAX, 0}}).loss, (LossReport{UINT16_MAX, 0}));
}

TEST(EchoFormat, of_what_is_rounded_there_is_one_form) {
  auto bytes = written({});
  const auto taken = [&](std::size_t place, int value) {
    auto changed = bytes;
    changed[place] = static_cast<std::byte>(value);
    WireReader in(changed);
    return read_echo(in).has_value();
  };
  EXPECT_TRUE(taken(4, 0xaf)) << "2^31 µs and more";
  EXPECT_FALSE(taken(4, 0xb0)) << "2^32 µs";
  for (const std::size_t loss : {10u, 11u}) {
    EXPECT_TRUE(taken(loss, 208)) << "all";
    EXPECT_FALSE(taken(loss, 209)) << "more than all";
  }
}

TEST(Rounded, greater_numbers_stand_as_greater_ones_and_each_as_itself) {
  for (std::uint32_t code = 0; code < 600; ++code) {
    const auto value = from_rounded<4>(code);
    EXPECT_EQ(rounded_down<4>(value), code);
    EXPECT_EQ(rounded_to_nearest<4>(value), code);
    EXPECT_LT(value, from_rounded<4>(code + 1));
    EXPECT_EQ(rounded_down<4>(from_rounded<4>(code + 1) - 1), code);
  }
}

/// What an echo tells after another one, of which this side knows everything.
Echo after(const Echo& before, Duration later, const Echo& echo) {
  const EchoBefore known{before.arrival_microseconds, before.arrived,
                         start - std::chrono::microseconds{before.hold_microseconds}};
  Echo read = read_back(echo);
  make_whole(read, before.packets, known, start + later);
  return read;
}

TEST(WholeEcho, tells_all_numbers_beyond_what_a_datagram_has_of_them) {
  const Echo before{(std::uint64_t{7} << 32) - 3, 1000, 0xfffffff0, 0xfffffffa, {}};
  const Echo next = after(before, 20'000us, {(std::uint64_t{7} << 32) + 90, 500, 0x00005204, 60, {}});
  EXPECT_EQ(next.packets, (std::uint64_t{7} << 32) + 90);
  EXPECT_EQ(next.arrival_microseconds, 0x5204u);
  EXPECT_EQ(next.arrived, 60u);
  EXPECT_EQ(next.hold_microseconds, 500u);
}

TEST(WholeEcho, the_first_one_tells_what_has_arrived) {
  for (const std::uint32_t packets : {0u, 1u, 5000u, 60'000u, 1u << 20}) {
    for (const std::uint32_t lost : {0u, std::min(packets, 60'000u)}) {
      Echo first = read_back({packets, 0, 5, packets - lost, {}});
      make_whole(first, 0, EchoBefore{}, start);
      EXPECT_EQ(first.packets, packets);
      EXPECT_EQ(first.arrived, packets - lost);
    }
  }
}

TEST(WholeEcho, it_matters_little_how_late_it_comes_or_how_long_nothing_went) {
  for (const Duration silence : {Duration{0s}, Duration{16s}, Duration{17s}, Duration{1h}}) {
    for (const Duration late : {Duration{-8s}, Duration{0s}, Duration{8s}}) {
      const Echo before{100, 1000, 50'000'000, 100, {}};
      const auto arrival = 50'000'000 + static_cast<std::uint32_t>(silence / 1us);
      const Echo told{101, 2000, arrival, 101, {}};
      EXPECT_EQ(after(before, silence + late, told).arrival_microseconds, arrival);
    }
  }
}

TEST(WholeEcho, that_a_datagram_was_held_for_long_is_no_delay) {
  const Echo before{100, 3'000'000, 50'000'000, 100, {}};
  const Echo told{101, 60'000'000, 50'010'000, 101, {}};
  EXPECT_EQ(after(before, 57'010ms, told).arrival_microseconds, 50'010'000u);
}

TEST(WholeEcho, counts_what_arrived_whatever_was_lost_or_came_late) {
  const Echo before{1'000'000, 0, 0, 900'000, {}};
  const auto arrived = [&](std::uint32_t sent, std::uint32_t arrivals) {
    return after(before, 1s, {1'000'000 + sent, 0, 1'000'000, 900'000 + arrivals, {}}).arrived - 900'000;
  };
  EXPECT_EQ(arrived(1, 1), 1u);
  EXPECT_EQ(arrived(1, 4096), 4096u) << "4095 came late";
  EXPECT_EQ(arrived(1000, 0), 0u);
  EXPECT_EQ(arrived(61'000, 10), 10u);
  EXPECT_EQ(arrived(1 << 22, (1 << 22) - 60'000), (1u << 22) - 60'000);
}

}  // namespace
}  // namespace lbsp::transport
