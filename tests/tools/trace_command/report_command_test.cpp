// lbsp report, started as a user starts it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/command.hpp"
#include "tests/tools/trace_command/slow_trace.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// The text between two words of a page.
std::string between(const std::string& page, const std::string& from, const std::string& to) {
  const std::size_t begin = page.find(from);
  if (begin == std::string::npos) return {};
  return page.substr(begin, page.find(to, begin) - begin);
}

void take(json& step, double computing, double communicating) {
  step["compute"] = step["cpu"] = computing;
  step["communicate"] = step["waiting"] = communicating;
}

TEST(ReportCommand, writes_a_page_that_stands_alone) {
  const TemporaryFolder folder;
  const std::string trace = folder.path() / "trace";
  ASSERT_EQ(run({"-n", "3", "--wan", "rtt=10ms", "--trace", trace, "--", "fft2d", "--size", "64"}).code, 0);
  const std::string page = page_of(trace);
  EXPECT_THAT(page, testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, testing::EndsWith("</html>\n"));
  for (const char* elsewhere : {"http", "src=", "href=", "@import", "url("})
    EXPECT_THAT(page, testing::Not(HasSubstr(elsewhere)));
  const std::string line = between(page, "aria-label=\"time line", "</svg>");
  for (const char* drawn : {"rank 0", "rank 1", "rank 2", "class=\"waiting\"", "class=\"path\""})
    EXPECT_THAT(line, HasSubstr(drawn));
  EXPECT_THAT(between(page, "The slowest supersteps", "</table>"), HasSubstr(" for messages"));
  EXPECT_THAT(between(page, "class=\"map\"", "</table>"), HasSubstr("KiB"));
  EXPECT_THAT(between(page, "<h2>Lost</h2>", "</table>"), HasSubstr("0 % of "));
}

TEST(ReportCommand, names_who_waited_and_who_had_to_send_again) {
  const TemporaryFolder folder;
  const std::string trace = slow_trace_of(1, [](int rank, int, json& step) {
    take(step, 0.1, rank == 0 ? 3.0 : 2.9);
    step["packets"]["retransmitted"] = rank;
    if (rank == 1) step["to"] = {{0, 2048}};
  });
  EXPECT_THAT(
      page_of(folder.write("trace", trace)),
      HasSubstr("rank 0 waited 3 s for messages: rank 1 sent 1 segment again; rank 1 sent most, 2&nbsp;KiB"));
}

/// Rank 1 has the faster host, and sends more.
TEST(ReportCommand, names_the_host_that_was_slowest_to_send_and_not_the_one_that_sent_most) {
  const TemporaryFolder folder;
  const std::string trace = slow_trace_of(1, [](int rank, int, json& step) {
    const bool slow = rank == 0;
    take(step, 0.1, slow ? 2.9 : 3.0);
    step["to"] = {{slow ? 1 : 0, slow ? 1024 * 1024 : 2 * 1024 * 1024}};
    step["network"]["rate"] = slow ? 250e3 : 6250e3;
  });
  EXPECT_THAT(
      page_of(folder.write("trace", trace)),
      HasSubstr("rank 1 waited 3 s for messages; rank 0 was slowest to send, 1&nbsp;MiB at 2 Mbit/s"));
}

/// Five supersteps, of which the last one takes long. Rank 1 sends so much in each, and so much in the last.
std::string page_of_slow_last(int bytes, int bytes_in_last) {
  const TemporaryFolder folder;
  const std::string trace = slow_trace_of(5, [&](int rank, int k, json& step) {
    take(step, 0.01, k == 4 ? 2 : 0.1);
    if (rank == 1) step["to"] = {{0, k == 4 ? bytes_in_last : bytes}};
  });
  return page_of(folder.write("trace", trace));
}

TEST(ReportCommand, names_a_sender_only_if_it_sent_more_than_usual) {
  EXPECT_THAT(page_of_slow_last(2048, 2048),
              HasSubstr("waited 2 s for messages; the trace does not show why"));
  EXPECT_THAT(page_of_slow_last(2048, 4096),
              HasSubstr("waited 2 s for messages; rank 1 sent most, 4&nbsp;KiB"));
}

TEST(ReportCommand, says_what_each_rank_lost_of_what_each_other_sent) {
  const TemporaryFolder folder;
  const auto page = [&](const json& from) {
    std::string trace = slow_trace(1);
    const std::size_t last = trace.rfind('\n', trace.size() - 2) + 1;
    json end = json::parse(trace.substr(last));
    end["from"] = from;
    return page_of(folder.write("trace", trace.substr(0, last) + end.dump() + '\n'));
  };
  EXPECT_THAT(page({{0, 400, 50}}), HasSubstr(">12.5 % of 400</td>"));
  EXPECT_THAT(page(json::array()), testing::Not(HasSubstr("<h2>Lost</h2>")));
  EXPECT_THAT(page({{0, 400, 500}}), HasSubstr("line 4"));
  EXPECT_THAT(page({{1, 400, 50}}), HasSubstr("rank 1 has lost what came from rank 1 of 2"));
  EXPECT_THAT(page({{0, 400}}), HasSubstr("give a rank, its datagrams and how many were lost"));
}

TEST(ReportCommand, shows_what_the_others_did_where_a_rank_was_lost_before_it_told_anything) {
  for (const int lost : {0, 1}) {
    const TemporaryFolder folder;
    const std::string page = page_of(folder.write("trace", slow_trace_without(lost)));
    EXPECT_THAT(page, HasSubstr("<strong>not finished</strong>: rank was killed &lt;9&gt;"));
    EXPECT_THAT(page, HasSubstr("no model knows a run of which a rank has told nothing"));
    EXPECT_THAT(
        between(page, "<h2>Ranks</h2>", "</table>"),
        HasSubstr(fmt::format("<tr><td>{}</td><td class=\"words\">\\x1b[1mhere</td><td class=\"words\" "
                              "colspan=\"9\">was lost and has told nothing",
                              lost)));
    EXPECT_THAT(between(page, "The slowest supersteps", "</table>"), HasSubstr("<td>0</td>"));
    EXPECT_THAT(between(page, "aria-label=\"time line", "</svg>"), HasSubstr("class=\"computing\""));
  }
}

TEST(ReportCommand, says_in_words_why_a_superstep_was_slow) {
  const TemporaryFolder folder;
  const auto page = [&](double cpu) { return page_of(folder.write("trace", slow_trace(cpu))); };
  EXPECT_THAT(page(4), HasSubstr("all waited for rank 1, which computed for 4 s"));
  EXPECT_THAT(page(1), HasSubstr("rank 1 was without the processor for 3 s of the 4 s that it computed"));
  EXPECT_THAT(page(1), HasSubstr("&lt;own&gt; &amp; \\x1b[2J only"));
  EXPECT_THAT(page(1), HasSubstr(">\\x1b[1mhere</td>"));
  EXPECT_THAT(page(1), HasSubstr("2 ranks over udp, 1 superstep, "));
}

TEST(ReportCommand, says_which_rank_started_late) {
  const TemporaryFolder folder;
  // Rank 1 is done with superstep 1 when rank 0 is, and has spent 8 s less: it started that much later.
  const std::string trace = slow_trace_of(2, [](int rank, int k, json& step) {
    if (k == 0) take(step, 1, rank == 0 ? 9 : 1);
    if (k == 1) take(step, 0.1, 0.1);
  });
  EXPECT_THAT(between(page_of(folder.write("trace", trace)), "The slowest supersteps", "</table>"),
              HasSubstr("all waited for rank 1, which started 8"));
}

TEST(ReportCommand, says_of_no_rank_that_it_waited_longer_than_the_superstep_took) {
  const TemporaryFolder folder;
  // Rank 0 leaves superstep 0 a second before rank 1 does, and waits that much more in superstep 1.
  const std::string trace = slow_trace_of(3, [](int rank, int k, json& step) {
    if (k == 0) take(step, 1, rank == 0 ? 0.1 : 1.1);
    if (k == 1) take(step, 0.1, rank == 0 ? 3 : 2);
    if (k == 2) take(step, 0.1, 0.01);
  });
  EXPECT_THAT(page_of(folder.write("trace", trace)), HasSubstr("rank 0 waited 2.1 s for messages"));
}

TEST(ReportCommand, has_histograms_of_the_many_when_a_few_took_far_longer) {
  const TemporaryFolder folder;
  const std::string trace =
      slow_trace_of(100, [](int, int k, json& step) { take(step, 0.001, k == 50 ? 5 : 0.001 + 1e-5 * k); });
  const std::string drawing =
      between(page_of(folder.write("trace", trace)), "how many supersteps communicated", "</svg>");
  EXPECT_THAT(drawing, HasSubstr(" ms; 2 took longer, up to 5 s</text>"));
  EXPECT_THAT(drawing, HasSubstr("<title>3 supersteps of 1."));
}

TEST(ReportCommand, says_what_is_missing_or_wrong_in_one_line) {
  const TemporaryFolder folder;
  const auto errors = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {built("lbsp"), "report"});
    const Outcome outcome = Command(words).wait();
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1) << outcome.errors;
    return outcome.errors;
  };
  EXPECT_THAT(errors({}), HasSubstr("no trace"));
  EXPECT_THAT(errors({"x"}), HasSubstr("-o is missing"));
  EXPECT_THAT(errors({"x", "-o", "x"}), HasSubstr("-o x: give the name of another file"));
  EXPECT_THAT(errors({"x", "-o", "-"}), HasSubstr("-o -: give the name of another file"));
  EXPECT_THAT(errors({folder.write("bad", "nonsense\n"), "-o", folder.path() / "out"}),
              HasSubstr("no line of a trace"));
  EXPECT_EQ(folder.files(), 1U);
  EXPECT_THAT(Command({built("lbsp"), "report", "--help"}).wait().output, HasSubstr("Example: lbsp run"));
}

}  // namespace
}  // namespace lbsp::test
