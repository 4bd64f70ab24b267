// Parts of lbsp probe that need no network.
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sys/stat.h>
#include <thread>

#include "tests/support/temporary_folder.hpp"
#include "tools/probe/compute_rates.hpp"
#include "tools/probe/key_file.hpp"
#include "tools/probe/measure.hpp"
#include "tools/probe/options.hpp"
#include "tools/probe/pair_schedule.hpp"
#include "tools/probe/report.hpp"
#include "tools/probe/worker_protocol.hpp"
#include "transport/error.hpp"

namespace lbsp::probe {
namespace {

using test::TemporaryFolder;

TEST(Tournament, has_every_pair_once) {
  for (int hosts = 2; hosts <= 9; ++hosts) {
    const auto pairs = tournament(hosts);
    EXPECT_EQ(pairs.size(), static_cast<std::size_t>(hosts * (hosts - 1) / 2));
    EXPECT_EQ(std::set<Pair>(pairs.begin(), pairs.end()).size(), pairs.size());
    for (const auto& [left, right] : pairs)
      EXPECT_TRUE(0 <= left && left < right && right < hosts);
  }
}

TEST(Tournament, follows_a_pair_by_others_without_its_hosts) {
  const auto pairs = tournament(8);
  for (std::size_t round = 0; round < 7; ++round) {
    std::set<int> playing;
    for (std::size_t i = 0; i < 4; ++i) {
      playing.insert(pairs[4 * round + i].first);
      playing.insert(pairs[4 * round + i].second);
    }
    EXPECT_EQ(playing.size(), 8U);
  }
}

TEST(Sample, is_as_large_as_asked_and_depends_on_its_seed) {
  EXPECT_EQ(sample_pairs(20, 7, 1).size(), 7U);
  EXPECT_EQ(sample_pairs(20, 7, 1), sample_pairs(20, 7, 1));
  EXPECT_NE(sample_pairs(20, 7, 1), sample_pairs(20, 7, 2));
  EXPECT_EQ(sample_pairs(3, 100, 1).size(), 3U);
}

TEST(KeyFile, is_made_once_for_its_owner_alone) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "key";
  const auto key = read_or_make_key(file);
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(read_or_make_key(file).bytes, key.bytes);
  EXPECT_EQ(read_key(file).bytes, key.bytes);
}

TEST(KeyFile, that_others_may_read_or_that_holds_no_key_is_refused) {
  const TemporaryFolder folder;
  const std::string open = folder.write("open", key_as_text(transport::JobKey::random()));
  ::chmod(open.c_str(), 0644);
  EXPECT_THROW(read_key(open), UsageError);
  const std::string wrong = folder.write("wrong", "hello\n");
  ::chmod(wrong.c_str(), 0600);
  EXPECT_THROW(read_key(wrong), UsageError);
  EXPECT_THROW(read_key(folder.path() / "none"), UsageError);
}

TEST(ProbeOptions, read_a_host_with_and_without_a_port) {
  const auto with_port = parse_probe_options({"there:4000", "--key-file", "k"});
  EXPECT_EQ(with_port->host, "there");
  EXPECT_EQ(with_port->port, 4000);
  EXPECT_EQ(parse_probe_options({"ada@there"})->port, 0);
  EXPECT_EQ(parse_probe_options({"[::1]:4000", "--key-file", "k"})->host, "::1");
  EXPECT_EQ(parse_probe_options({"fe80::1"})->host, "fe80::1");
}

TEST(ProbeOptions, refuse_what_cannot_be_measured) {
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{}, Words{"there:4000"}, Words{"--listen", "4000"}, Words{"--listen", "0", "--key-file", "k"},
        Words{"there:0", "--key-file", "k"}, Words{"there", "--hosts", "h"},
        Words{"there", "--packet-sizes", "63"}, Words{"there", "--packet-sizes", "65508"},
        Words{"there", "--packet-sizes", ""}, Words{"there", "--packet-sizes", "64,x"},
        Words{"there", "--count", "0"}, Words{"there", "--sample", "3"}, Words{"there", "--time-limit", "0s"},
        Words{"-x"}, Words{"there", "--key-file", "k"}}) {
    EXPECT_THROW(parse_probe_options(words), UsageError) << testing::PrintToString(words);
  }
}

TEST(WorkerProtocol, brings_back_what_was_written) {
  probe::Setup setup;
  setup.key = transport::JobKey::random();
  setup.plan.sizes = {64, 1400};
  setup.wan = "loss=10%";
  const auto read = read_setup(to_line(setup));
  EXPECT_EQ(read.key.bytes, setup.key.bytes);
  EXPECT_EQ(read.plan.sizes, setup.plan.sizes);
  EXPECT_EQ(read.wan, setup.wan);
  EXPECT_EQ(read_order(to_line(Order{{"a", 7}, 9})).responder.port, 7);
  EXPECT_EQ(read_ready(to_line(Ready{5, std::nullopt})).port, 5);
  EXPECT_EQ(read_done(to_line(Done{{}, "why"})).problem, "why");
  EXPECT_THROW(read_setup("{}"), Error);
  EXPECT_THROW(read_order("hello"), Error);
}

TEST(ProbeNotes, name_the_pairs_of_which_the_sender_limited_bandwidths) {
  EXPECT_TRUE(note_of_limited(1).starts_with("1 bandwidth is no more than what could be sent (--max-rate, "));
  EXPECT_TRUE(note_of_limited(1, {"a - b"}).starts_with("1 bandwidth of a - b is no more than what"));
  EXPECT_TRUE(note_of_limited(4, {"a - b", "a - c"})
                  .starts_with("4 bandwidths of a - b, a - c are no more than what could be sent"));
  EXPECT_TRUE(note_of_limited(9, {"a - b", "a - c", "b - c", "b - d"})
                  .starts_with("9 bandwidths of a - b, a - c, b - c and 1 more pair are no more than what"));
}

TEST(ComputeRates, say_so_if_something_else_had_the_processor) {
  const Timing waited = time_of([] {}, [] { std::this_thread::sleep_for(std::chrono::milliseconds{2}); });
  EXPECT_GE(waited.seconds, 2e-3);
  EXPECT_GT(waited.slowdown, 2);
  EXPECT_EQ(note_of_slowdown(1.1), "");
  EXPECT_THAT(note_of_slowdown(3), testing::HasSubstr("up to 3 times too slow"));
  const Ready ready = read_ready(to_line(Ready{.port = 7, .compute = {}, .slowdown = 2.5}));
  EXPECT_EQ(ready.slowdown, 2.5);
}

TEST(ProbeReport, tells_of_how_many_cases_the_loss_of_second_copies_is) {
  profile::PairProfile pair;
  pair.to = 1;
  pair.packet_size = 1400;
  pair.second_copy_loss = {{.spacing = 0, .loss = 1. / 3, .sample = 6}};
  const profile::Profile both{.measured_at = {}, .hosts = {{"a", {}}, {"b", {}}}, .pairs = {pair}};
  EXPECT_THAT(profile_as_text(both), testing::HasSubstr(" 33.3 % of 6 "));
}

}  // namespace
}  // namespace lbsp::probe
