#include "transport/quantity.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Fraction, is_read_as_a_percentage_or_as_a_number) {
  EXPECT_EQ(parse_fraction("10%"), 0.1);
  EXPECT_EQ(parse_fraction("0.1"), 0.1);
  EXPECT_EQ(parse_fraction("0"), 0);
  EXPECT_EQ(parse_fraction("100%"), 1);
  EXPECT_EQ(parse_fraction("1"), 1);
  EXPECT_DOUBLE_EQ(parse_fraction("0.1%"), 0.001);
}

TEST(Time, is_read_in_each_unit) {
  EXPECT_EQ(parse_duration("5ns"), 5ns);
  EXPECT_EQ(parse_duration("80us"), 80us);
  EXPECT_EQ(parse_duration("70ms"), 70ms);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("4min"), 4min);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("0"), 0ns);
  EXPECT_EQ(parse_duration("0.1ms"), 100us);
}

TEST(Rate, is_read_in_bits_and_in_bytes) {
  EXPECT_EQ(parse_rate("100Mbit").value, 12.5e6);
  EXPECT_EQ(parse_rate("1Gbit").value, 125e6);
  EXPECT_EQ(parse_rate("17.5MB").value, 17.5e6);
  EXPECT_EQ(parse_rate("800kbit").value, 1e5);
  EXPECT_EQ(parse_rate("8bit").value, 1);
  EXPECT_EQ(parse_rate("3B").value, 3);
}

TEST(Rate, is_one_that_a_network_may_have) {
  EXPECT_EQ(parse_rate("1bit").value, 0.125);
  EXPECT_EQ(parse_rate("1000000Gbit").value, 1.25e14);
  EXPECT_THROW(parse_rate("0.5bit"), UsageError);
  EXPECT_THROW(parse_rate("1000001Gbit"), UsageError);
  EXPECT_THROW(parse_rate("18446744073709551616Mbit"), UsageError);
}

TEST(Size, is_read_in_binary_and_decimal_units) {
  EXPECT_EQ(parse_size("64KiB"), 65536u);
  EXPECT_EQ(parse_size("4GiB"), std::uint64_t{4} << 30);
  EXPECT_EQ(parse_size("1500B"), 1500u);
  EXPECT_EQ(parse_size("1500"), 1500u);
  EXPECT_EQ(parse_size("1MB"), 1'000'000u);
  EXPECT_EQ(parse_size("1.5KiB"), 1536u);
  EXPECT_EQ(parse_size("18446744073709551615B"), 18446744073709551615u);
}

TEST(Quantity, refuses_whatever_else_is_written_and_quotes_it) {
  const std::vector<std::string> nonsense{
      "",     " ",    "x",    "-1",   "+1",   "nan",  "inf",  "1e3",   "0x10",  "1.2.3", ".",     "%",
      "10 %", "10%x", "1 ms", "1ms ", "ms",   "1mss", "-5ms", "1e3ms", "infms", "nanms", "1Tbit", "1mbit",
      "B",    "KiB",  "-1B",  "1e3B", "1kib", "10%%", "1,5s", "nan%",  "-10%",  "1MBit"};
  for (const auto& text : nonsense) {
    const auto quoted = HasSubstr("'" + text + "' is not a");
    EXPECT_THAT(error_of([&] { parse_fraction(text); }), quoted);
    EXPECT_THAT(error_of([&] { parse_duration(text); }), quoted);
    EXPECT_THAT(error_of([&] { parse_rate(text); }), quoted);
    EXPECT_THAT(error_of([&] { parse_size(text); }), quoted);
  }
}

TEST(Quantity, refuses_what_is_out_of_range) {
  for (const auto* text : {"1.01", "101%", "2"})
    EXPECT_THROW(parse_fraction(text), UsageError) << text;
  for (const auto* text : {"2562048h", "9223372037s", "9223372036854775808ns", "9223372036.9s"}) {
    EXPECT_THROW(parse_duration(text), UsageError) << text;
  }
  for (const auto* text : {"0Mbit", "0B", "0.0kbit"})
    EXPECT_THROW(parse_rate(text), UsageError) << text;
  for (const auto* text : {"18446744073709551616B", "16777216TiB", "16777216.5TiB", "20000000TB"}) {
    EXPECT_THROW(parse_size(text), UsageError) << text;
  }
  EXPECT_THROW(parse_rate(std::string(400, '9') + "Gbit"), UsageError);
}

TEST(Quantity, error_shows_a_right_example) {
  EXPECT_THAT(error_of([] { parse_fraction("a lot"); }),
              HasSubstr("'a lot' is not a fraction from 0 to 1: write a"));
  EXPECT_THAT(error_of([] { parse_duration("70"); }), HasSubstr("such as 70ms"));
  EXPECT_THAT(error_of([] { parse_rate("100"); }), HasSubstr("such as 100Mbit"));
  EXPECT_THAT(error_of([] { parse_size("64K"); }), HasSubstr("such as 64KiB"));
  EXPECT_THAT(error_of([] { parse_size("1400.5"); }), HasSubstr("'1400.5' is not a whole number of bytes"));
  EXPECT_EQ(parse_size("1400.0B"), 1400u);
}

TEST(Quantity, is_written_in_the_most_readable_unit) {
  EXPECT_EQ(format_fraction(0.1), "10%");
  EXPECT_EQ(format_fraction(0), "0%");
  EXPECT_EQ(format_fraction(1), "100%");
  EXPECT_EQ(format_duration(70ms), "70ms");
  EXPECT_EQ(format_duration(1500ms), "1.5s");
  EXPECT_EQ(format_duration(2h), "2h");
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(0s), "0s");
  EXPECT_EQ(format_duration(1'000'001ns), "1.000001ms");
  EXPECT_EQ(format_rate(megabits_per_second(100)), "100Mbit");
  EXPECT_EQ(format_rate(megabits_per_second(2500)), "2.5Gbit");
  EXPECT_EQ(format_size(65536), "64KiB");
  EXPECT_EQ(format_size(1500), "1500B");
  EXPECT_EQ(format_size(0), "0B");
}

TEST(Quantity, is_rounded_for_reports) {
  EXPECT_EQ(format_duration(70'123'456ns, 3), "70.1 ms");
  EXPECT_EQ(format_duration(0s, 3), "0 ns");
  EXPECT_EQ(format_duration(2h, 3), "7200 s");
  EXPECT_EQ(format_rate({123'456'789}, 3), "988 Mbit/s");
  EXPECT_EQ(format_size(1'234'567, 3), "1.18 MiB");
  EXPECT_EQ(format_size(1023, 3), "1023 B");
}

TEST(Quantity, is_written_without_an_exponent_above_the_largest_unit) {
  EXPECT_EQ(format_duration(std::chrono::seconds{9999}, 3), "9999 s");
  EXPECT_EQ(format_duration(std::chrono::seconds{10000}, 3), "10000 s");
  EXPECT_EQ(format_duration(std::chrono::hours{4}, 3), "14400 s");
  EXPECT_EQ(format_duration(std::chrono::hours{24 * 365}, 3), "31536000 s");
}

TEST(Quantity, parses_back_to_the_very_same_value) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    EXPECT_EQ(parse_fraction(format_fraction(unit)), unit);
    const Duration time{static_cast<Duration::rep>(random() >> (1 + random() % 63))};
    EXPECT_EQ(parse_duration(format_duration(time)), time);
    const BytesPerSecond rate{(unit + 1e-9) * static_cast<double>(random() % 10'000'000'000) + 1e-3};
    EXPECT_EQ(parse_rate(format_rate(rate)), rate);
    const std::uint64_t size = random() >> (random() % 64);
    EXPECT_EQ(parse_size(format_size(size)), size);
  }
}

}  // namespace
}  // namespace lbsp::transport
