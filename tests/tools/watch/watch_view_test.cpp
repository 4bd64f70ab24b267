// What lbsp watch makes of a job's answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/command.hpp"
#include "tests/tools/watch/job_answer.hpp"
#include "tools/watch/view.hpp"
#include "transport/error.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(WatchView, has_a_rate_in_the_unit_that_reads_best) {
  json answer = job_answer(1, json::array());
  answer["per_rank"][0]["network"]["rate"] = 125e6;
  EXPECT_THAT(watch::view_of(answer), HasSubstr(" 1 Gbit/s\n"));
}

TEST(WatchView, has_as_many_ranks_as_there_is_room_for_and_those_that_are_waited_for_first) {
  const std::string all = watch::view_of(job_answer(20, json::array()));
  EXPECT_THAT(all, AllOf(StartsWith("own on 20 ranks over udp: superstep 7, "), HasSubstr("\n   19 "),
                         HasSubstr(" 10.00 % "), HasSubstr(" 70 ms "), HasSubstr(" 100 Mbit/s\n")));
  EXPECT_EQ(all.find('\x1b'), std::string::npos) << "a host's name does nothing to a terminal";
  const std::string few = watch::view_of(job_answer(20, {17, 18}), {.lines = 8});
  EXPECT_EQ(lines_of(few).size(), 8U) << few;
  EXPECT_THAT(few, AllOf(HasSubstr("\n   17 "), HasSubstr("\n   18 "), HasSubstr("\nand 16 more\n"),
                         HasSubstr("The others wait for ranks 17, 18.\n")));
  EXPECT_THAT(watch::view_of(job_answer(20, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})),
              HasSubstr("6, 7 and 2 more.\n"));
}

TEST(WatchView, leaves_out_the_figures_of_least_use_where_lines_are_short) {
  const json answer = job_answer(3, {1});
  const auto headings = [&](std::size_t columns) {
    const auto lines = lines_of(watch::view_of(answer, {.columns = columns}));
    for (const std::string& line : lines)
      EXPECT_LE(line.size(), columns) << line;
    return lines.at(1);
  };
  EXPECT_THAT(headings(200), testing::EndsWith("  rate"));
  EXPECT_THAT(headings(79), AllOf(HasSubstr("superstep does"), testing::EndsWith(" RTT")));
  EXPECT_THAT(headings(40),
              AllOf(HasSubstr(" host "), HasSubstr(" does"), testing::Not(HasSubstr("computed"))));
  EXPECT_EQ(headings(20), " rank does");
  EXPECT_EQ(headings(12), " rank does");
  EXPECT_EQ(headings(4), " ran");
  EXPECT_EQ(lines_of(watch::view_of(answer, {.lines = 2})).size(), 2U);
}

TEST(WatchView, has_no_figures_of_a_rank_that_has_never_answered) {
  json answer = job_answer(2, json::array());
  for (const char* key : {"superstep", "seconds", "network"})
    answer["per_rank"][1][key] = nullptr;
  answer["per_rank"][1]["doing"] = "silent";
  EXPECT_THAT(lines_of(watch::view_of(answer)).back(), testing::EndsWith(" ? silent"));
}

TEST(WatchView, refuses_what_is_no_answer) {
  json without_ranks = job_answer(2, json::array());
  without_ranks.erase("per_rank");
  json of_another_type = job_answer(2, json::array());
  of_another_type["per_rank"][1]["network"] = "good";
  for (const json& bad :
       {json(), json::array(), json("x"), without_ranks, of_another_type, json::parse("{", nullptr, false)})
    EXPECT_THROW(watch::view_of(bad), UsageError) << bad;
}

}  // namespace
}  // namespace lbsp::test
