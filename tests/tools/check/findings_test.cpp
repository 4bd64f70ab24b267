#include "tools/check/findings.hpp"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace lbsp::check {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Hosts a, b, c, … of which all is well, where an Ethernet carries so many bytes.
Seen healthy(int hosts, std::uint16_t full = 1472) {
  Seen seen;
  for (int host = 0; host < hosts; ++host) {
    seen.hosts.push_back(
        {.name = std::string(1, static_cast<char>('a' + host)), .port = 4000, .buffer_bytes = 16 << 20});
    for (int other = 0; other < hosts; ++other)
      if (other != host)
        seen.pairs.push_back({.from = host, .to = other, .largest = full, .full = full, .answered = true});
  }
  return seen;
}

auto about(const std::string& host, bool grave, const std::string& what) {
  return AllOf(Field(&Finding::host, host), Field(&Finding::grave, grave),
               Field(&Finding::what, HasSubstr(what)));
}

/// Nothing gets from `from` to `to` that is not an answer.
void shut(Seen& seen, int from, int to) {
  for (PairSeen& pair : seen.pairs)
    if (pair.from == from && pair.to == to) pair = {.from = from, .to = to, .full = pair.full};
}

/// Nothing at all.
void cut(Seen& seen, int one, int other) {
  shut(seen, one, other);
  shut(seen, other, one);
}

TEST(Findings, are_none_where_all_is_well) {
  EXPECT_THAT(findings(healthy(1)), IsEmpty());
  EXPECT_THAT(findings(healthy(5)), IsEmpty());
}

TEST(Findings, name_a_host_that_does_not_answer_and_how_to_reach_it) {
  Seen seen = healthy(3);
  seen.hosts[1].silence = "Permission denied (publickey).";
  std::erase_if(seen.pairs, [](const PairSeen& pair) { return pair.from == 1 || pair.to == 1; });
  const auto found = findings(seen);
  ASSERT_THAT(found, ElementsAre(about("b", true, "Permission denied")));
  EXPECT_THAT(found[0].to_do, HasSubstr("ssh -o BatchMode=yes b true"));
}

TEST(Findings, do_not_add_advice_to_a_message_that_has_its_own) {
  Seen seen = healthy(1);
  seen.hosts[0].silence = "another version of lbsp answers there: install the same one on all hosts";
  EXPECT_THAT(findings(seen), ElementsAre(Field(&Finding::to_do, IsEmpty())));
  seen.hosts[0].silence =
      "cannot start /agent: No such file or directory: see that it is a program of this machine";
  EXPECT_THAT(findings(seen), ElementsAre(Field(&Finding::to_do, IsEmpty())));
}

/// Its system refuses to send to the other.
void refuse(Seen& seen, int from, int to, int error) {
  cut(seen, from, to);
  for (PairSeen& pair : seen.pairs)
    if (pair.from == from && pair.to == to) pair.refused = error;
}

TEST(Findings, name_a_host_whose_own_routes_refuse_and_no_firewall) {
  Seen two = healthy(2);
  refuse(two, 0, 1, ENETUNREACH);
  EXPECT_THAT(
      findings(two),
      ElementsAre(AllOf(about("a", true, "its own system refuses to send to b (Network is unreachable)"),
                        Field(&Finding::to_do, "look at the routes and interfaces there"))));
  Seen four = healthy(4);
  for (const int other : {0, 1, 3})
    refuse(four, 2, other, EHOSTUNREACH);
  EXPECT_THAT(findings(four),
              ElementsAre(about("c", true, "its own system refuses to send to a, b, d (No route to host)")));
}

TEST(Findings, name_a_host_whose_own_firewall_refuses) {
  Seen seen = healthy(3);
  refuse(seen, 0, 1, EPERM);
  EXPECT_THAT(findings(seen), ElementsAre(AllOf(about("a", true, "its own system refuses to send to b ("),
                                                Field(&Finding::to_do, "look at the firewall there"))));
}

TEST(Findings, name_the_one_host_whose_port_is_shut_and_not_all_pairs_with_it) {
  Seen seen = healthy(4);
  for (const int other : {0, 1, 3}) {
    shut(seen, other, 2);
    for (PairSeen& pair : seen.pairs)  // what c sends arrives, and its answers do not
      if (pair.from == 2) pair.answered = false;
  }
  EXPECT_THAT(findings(seen), ElementsAre(about("c", true, "no datagram arrives at its UDP port 4000")));
}

TEST(Findings, take_a_host_that_gets_answers_alone_for_one_behind_a_nat_which_is_no_harm) {
  Seen seen = healthy(3);
  shut(seen, 0, 1);
  shut(seen, 2, 1);
  EXPECT_THAT(findings(seen), ElementsAre(about("b", false, "only answers arrive")));
  EXPECT_TRUE(reach_each_other(seen, 0, 1));
}

TEST(Findings, say_that_two_hosts_behind_nats_do_not_find_each_other) {
  Seen seen = healthy(3);
  cut(seen, 0, 1);
  shut(seen, 2, 0);
  shut(seen, 2, 1);
  EXPECT_THAT(findings(seen), ElementsAre(about("a", false, "only answers"),
                                          about("b", false, "only answers"), about("", true, "a - b")));
}

TEST(Findings, name_a_host_without_any_udp_once) {
  Seen seen = healthy(4);
  for (const int other : {1, 2, 3})
    cut(seen, 0, other);
  EXPECT_THAT(findings(seen), ElementsAre(about("a", true, "no UDP datagram gets to it or from it")));
}

TEST(Findings, name_single_pairs_and_only_a_few_of_many) {
  Seen seen = healthy(8);
  cut(seen, 0, 7);
  EXPECT_THAT(findings(seen), ElementsAre(about("", true, "a - h")));
  for (const int one : {0, 1, 2})
    for (const int other : {4, 5, 6})
      cut(seen, one, other);
  EXPECT_THAT(findings(seen), ElementsAre(about("", true, "and 5 more")));
}

TEST(Findings, name_the_host_that_all_pairs_have_in_common_which_fail) {
  Seen seen = healthy(4);
  cut(seen, 1, 0);
  cut(seen, 1, 3);
  const auto found = findings(seen);
  ASSERT_THAT(found, ElementsAre(about("b", true, "no datagram gets from it to a, d and back")));
  EXPECT_THAT(found[0].to_do, HasSubstr("its firewall"));
  cut(seen, 2, 3);
  EXPECT_THAT(findings(seen), ElementsAre(about("", true, "a - b, b - d, c - d: ")));
}

TEST(Findings, name_the_host_that_hears_all_and_is_heard_by_none) {
  Seen seen = healthy(4);
  for (PairSeen& pair : seen.pairs) {
    if (pair.from == 3) pair = {.from = 3, .to = pair.to};
    if (pair.to == 3) pair.answered = false;
  }
  const auto found = findings(seen);
  ASSERT_THAT(found, ElementsAre(about("d", true, "nothing that it sends arrives at a, b, c")));
  EXPECT_EQ(found[0].to_do, "let UDP out through its firewall, from port 4000");
}

TEST(Findings, name_the_host_with_the_small_mtu_and_not_those_that_hear_it) {
  Seen seen = healthy(3);
  for (PairSeen& pair : seen.pairs)
    if (pair.from == 1) pair.largest = 1252;
  EXPECT_THAT(findings(seen),
              ElementsAre(about("b", false, "more than about 1252 bytes do not get out of it")));
  EXPECT_EQ(findings(seen)[0].to_do,
            "lbsp finds a size that fits by itself; --datagram 1252 spares it the search");
  seen = healthy(2);
  seen.pairs[0].largest = 1392;
  EXPECT_THAT(findings(seen), ElementsAre(about("a", false, "1392")));
}

/// Each IPv6 host on an Ethernet was told of a small MTU, and the advice named what it has.
TEST(Findings, are_none_where_an_ethernet_is_as_wide_as_it_is_for_ipv6) {
  EXPECT_THAT(findings(healthy(3, 1452)), IsEmpty());
  Seen mixed = healthy(3);
  for (PairSeen& pair : mixed.pairs)
    if (pair.to == 2) pair.largest = pair.full = 1452;
  EXPECT_THAT(findings(mixed), IsEmpty());
  for (PairSeen& pair : mixed.pairs)
    if (pair.to == 2) pair.largest = 1232;
  EXPECT_THAT(findings(mixed), ElementsAre(about("c", false, "more than about 1232 bytes do not get to it")));
}

TEST(Findings, say_once_what_is_so_of_each_host) {
  Seen seen = healthy(3);
  for (PairSeen& pair : seen.pairs)
    pair.largest = 1252;
  EXPECT_THAT(findings(seen),
              ElementsAre(about("", false, "each host: datagrams of more than about 1252 bytes")));
  seen.hosts[1].buffer_bytes = 425984;
  EXPECT_THAT(findings(seen), ElementsAre(about("", false, "1252 bytes"), about("b", false, "208 KiB")));
  for (PairSeen& pair : seen.pairs)
    if (pair.from == 1) pair.largest = 1300;
  EXPECT_THAT(findings(seen), ElementsAre(about("a", false, "1252"), about("b", false, "208 KiB"),
                                          about("b", false, "1300"), about("c", false, "1252")));
}

TEST(Findings, name_small_buffers_odd_clocks_missing_programs_and_taken_ports) {
  Seen seen = healthy(4);
  seen.program = "/bin/x";
  seen.hosts[0].buffer_bytes = 425984;
  seen.hosts[1].clock_ahead_s = -3;
  seen.hosts[1].clock_error_s = 0.5;
  seen.hosts[2].program_problem = "No such file or directory";
  seen.hosts[3].port = 0;
  seen.hosts[3].port_problem = "UDP port 4000 is in use";
  std::erase_if(seen.pairs, [](const PairSeen& pair) { return pair.from == 3 || pair.to == 3; });
  EXPECT_THAT(findings(seen),
              ElementsAre(about("a", false, "208 KiB"), about("b", false, "3.0 s behind"),
                          about("c", true, "/bin/x: No such file"), about("d", true, "in use")));
}

TEST(Findings, allow_a_clock_to_be_off_by_what_the_way_to_it_hides) {
  Seen seen = healthy(1);
  seen.hosts[0].clock_ahead_s = 2.4;
  seen.hosts[0].clock_error_s = 0.5;
  EXPECT_THAT(findings(seen), IsEmpty());
  seen.hosts[0].clock_error_s = 0.3;
  EXPECT_THAT(findings(seen), ElementsAre(about("a", false, "2.4 s ahead of")));
}

}  // namespace
}  // namespace lbsp::check
