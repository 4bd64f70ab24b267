#include "tools/wan/network/matrix_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "transport/error.hpp"

namespace lbsp::wan::network {
namespace {

using transport::parse_wan_spec;

PairSpecs read(const std::string& text) {
  std::istringstream in(text);
  return read_matrix(in, "net");
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MatrixFile, has_a_line_for_every_host_and_a_word_for_every_destination) {
  const auto specs = read(
      "# three hosts\n- rtt=10ms loss=1%,rtt=20ms\n\nrate=10Mbit - loss=0%  # to h2: perfect\n"
      "burst=4,loss=5% jitter=1ms,rtt=9ms -\n");
  ASSERT_EQ(specs.hosts(), 3);
  EXPECT_EQ(specs.at(0, 1), parse_wan_spec("rtt=10ms"));
  EXPECT_EQ(specs.at(0, 2), parse_wan_spec("loss=1%,rtt=20ms"));
  EXPECT_EQ(specs.at(1, 0), parse_wan_spec("rate=10Mbit"));
  EXPECT_EQ(specs.at(1, 2), transport::WanSpec{});
  EXPECT_EQ(specs.at(2, 0), parse_wan_spec("loss=5%,burst=4"));
  EXPECT_EQ(specs.at(2, 1), parse_wan_spec("rtt=9ms,jitter=1ms"));
}

TEST(MatrixFile, of_one_host_is_a_dash) {
  EXPECT_EQ(read("-\n").hosts(), 1);
}

TEST(MatrixFile, that_is_wrong_is_refused_with_its_line) {
  EXPECT_EQ(refusal(""), "net has no line: write N lines of N WAN specs");
  EXPECT_EQ(refusal("- loss=1%\n"),
            "net, line 1: 2 entries, but the file has 1 line: write N lines of N WAN specs, without blanks "
            "in them");
  EXPECT_EQ(refusal("# head\n- loss=1%\nloss=1%\n"),
            "net, line 3: 1 entry, but the file has 2 lines: write N lines of N WAN specs, without blanks "
            "in them");
  EXPECT_EQ(refusal("loss=1% loss=1%\nloss=1% -\n"),
            "net, line 1: \"loss=1%\" is from h0 to itself: write -");
  EXPECT_EQ(refusal("- -\nloss=1% -\n"),
            "net, line 1: - from h0 to h1: write a WAN spec such as loss=10%,rtt=70ms");
  EXPECT_THAT(refusal("- loss=200%\nloss=1% -\n"), testing::StartsWith("net, line 1: WAN loss='200%'"));
}

TEST(MatrixFile, for_more_hosts_than_a_bed_has_is_refused) {
  std::string text;
  for (int i = 0; i <= most_hosts; ++i)
    text += "-\n";
  EXPECT_EQ(refusal(text), "net is for 251 hosts: a bed has at most 250");
}

TEST(MatrixFile, that_is_not_there_is_named) {
  EXPECT_THROW(read_matrix_file("/no/such/file"), UsageError);
}

TEST(MatrixFile, that_was_written_reads_back_as_the_same) {
  const std::string text = "- loss=10%,rtt=70ms rate=1Mbit\nmtu=1280 - down=2Mbit\nloss=0% loss=1% -\n";
  EXPECT_EQ(to_matrix(read(text)), text);
}

TEST(PairSpecs, downlink_of_a_host_is_the_widest_of_those_who_send_to_it) {
  const auto specs = read("- down=1Mbit loss=0%\ndown=2Mbit - loss=0%\ndown=3Mbit loss=1% -\n");
  EXPECT_TRUE(specs.downlink(0));
  EXPECT_FALSE(specs.downlink(1)) << "one sender is without limit";
  EXPECT_FALSE(specs.downlink(2));
}

TEST(PairSpecs, in_words_are_what_all_pairs_have_and_what_differs) {
  EXPECT_EQ(in_words(PairSpecs(3, transport::parse_wan_spec("rtt=20ms"))), "rtt=20ms");
  EXPECT_EQ(in_words(read("- loss=1%\nloss=2% -\n")), "loss differs from pair to pair");
  EXPECT_EQ(in_words(read("- rtt=9ms,loss=1%\nrtt=9ms,mtu=1280 -\n")),
            "rtt=9ms; loss and mtu differ from pair to pair");
  EXPECT_EQ(in_words(read("- loss=0%\nloss=1%,rtt=9ms,mtu=1280 -\n")),
            "loss, mtu and rtt differ from pair to pair");
  EXPECT_EQ(in_words(PairSpecs(2, {})), "loss=0%");
}

TEST(PairSpecs, uplink_of_a_host_is_the_widest_of_its_destinations) {
  const auto specs =
      read("- rate=10Mbit,queue=1MiB rate=20Mbit,queue=2MiB\nloss=0% - rate=1Mbit\nloss=1% loss=1% -\n");
  EXPECT_EQ(specs.uplink(0).rate, specs.at(0, 2).rate);
  EXPECT_EQ(specs.uplink(0).queue_bytes, std::uint64_t{2} << 20);
  EXPECT_FALSE(specs.uplink(1).rate);  // one destination is without limit
  EXPECT_FALSE(specs.uplink(2).rate);
}

}  // namespace
}  // namespace lbsp::wan::network
