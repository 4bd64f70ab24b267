#include "tools/launch/request/hosts_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "transport/error.hpp"

namespace lbsp::launch::request {
namespace {

std::vector<HostEntry> read(const std::string& text) {
  std::istringstream in(text);
  return read_hosts(in, "hosts");
}

TEST(HostsFile, has_a_host_a_line_with_its_settings_in_any_order) {
  const auto hosts = read("# ours\n\n  node1\t# the first\nnode2 user=ann slots=4 address=10.0.0.2\r\n");
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].name, "node1");
  EXPECT_EQ(hosts[0].slots, 1);
  EXPECT_EQ(hosts[0].user, "");
  EXPECT_EQ(hosts[0].line, 3);
  EXPECT_EQ(hosts[1].name, "node2");
  EXPECT_EQ(hosts[1].slots, 4);
  EXPECT_EQ(hosts[1].user, "ann");
  EXPECT_EQ(hosts[1].address, "10.0.0.2");
}

TEST(HostsFile, takes_names_in_upper_case_or_with_a_dot_at_the_end_for_the_same_host) {
  EXPECT_EQ(plain_name("Node1.Example.ORG."), "node1.example.org");
  EXPECT_EQ(read("Node1.example.org.\n").front().name, "Node1.example.org.")
      << "as ssh's own settings may have it";
  EXPECT_THROW(read("node1.example.org\nNODE1.example.org.\n"), UsageError);
}

TEST(HostsFile, may_end_without_a_line_end) {
  EXPECT_EQ(read("node1 slots=2").front().slots, 2);
}

TEST(HostsFile, may_begin_with_a_byte_order_mark) {
  const auto hosts = read("\xef\xbb\xbfnode1 slots=2\nnode2\n");
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].name, "node1");
  EXPECT_EQ(read("\xef\xbb\xbf# ours\nnode1\n").front().name, "node1");
  EXPECT_THROW(read("node1\n\xef\xbb\xbfnode2\n"), UsageError);
}

TEST(HostsFile, takes_the_largest_number_of_slots_and_no_more) {
  EXPECT_EQ(read("a slots=65535").front().slots, 65535);
  EXPECT_THROW(read("a slots=65536"), UsageError);
  EXPECT_THROW(read("a slots=99999999999999999999"), UsageError);
  EXPECT_THROW(read("a slots=-1"), UsageError);
}

TEST(HostsFile, keeps_an_address_with_colons_whole) {
  EXPECT_EQ(read("a address=fd00::7").front().address, "fd00::7");
  EXPECT_EQ(read("a address=[fd00::7]").front().address, "fd00::7");
  EXPECT_EQ(read("a address=fe80::7%eth0").front().address, "fe80::7%eth0");
}

TEST(HostsFile, refuses_a_name_longer_than_any_is_and_does_not_repeat_all_of_it) {
  EXPECT_EQ(read(std::string(255, 'a')).front().name.size(), 255U);
  try {
    read(std::string(70'000, 'a'));
    FAIL() << "it was taken";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("255 at most"), std::string::npos);
    EXPECT_LT(std::string(error.what()).size(), 500U);
  }
}

TEST(HostsFile, refuses_a_setting_with_blanks_around_its_sign) {
  EXPECT_THROW(read("a slots = 4"), UsageError);
  EXPECT_THROW(read("a slots= 4"), UsageError);
}

}  // namespace
}  // namespace lbsp::launch::request
