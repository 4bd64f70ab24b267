#include "tools/profile/profile_file.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "transport/error.hpp"

namespace lbsp::profile {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

PairProfile path(int from, int to, int packet_size) {
  return {.from = from,
          .to = to,
          .packet_size = packet_size,
          .fragmented = packet_size > 1472,
          .loss = 0.1 + 0.01 * from,
          .loss_interval = {0.09, 0.13},
          .loss_sample = 20000,
          .burst = 1.5,
          .second_copy_loss = {{.spacing = 0, .loss = 0.3, .sample = 2000},
                               {.spacing = 0.005, .loss = 0.125, .sample = 1900}},
          .round_trip = {.minimum = 0.07, .median = 0.0712, .p99 = 0.081},
          .bandwidth = 12.5e6};
}

Profile two_hosts() {
  return {.measured_at = "2026-01-02T03:04:05Z",
          .hosts = {{.name = "a.example.org",
                     .compute = ComputeRates{.dgemm_flops = 3.3e10,
                                             .sort_keys = 1.2e7,
                                             .fft_flops = 4.1e9,
                                             .stencil_points = 1.0 / 3}},
                    {.name = "b.example.org", .compute = std::nullopt}},
          .pairs = {path(0, 1, 512), path(0, 1, 1400), path(1, 0, 512)}};
}

/// What is said of a profile that has been changed so.
std::string complaint(const std::function<void(json&)>& change) {
  json profile = json::parse(to_json(two_hosts()));
  change(profile);
  try {
    from_json(profile.dump(), "net.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing";
}

std::string complaint_about_pair(const char* key, const json& value) {
  return complaint([&](json& profile) { profile["pairs"][1][key] = value; });
}

TEST(ProfileFile, reads_back_the_very_same_values) {
  const std::string text = to_json(two_hosts());
  const Profile read = from_json(text, "net.json");
  EXPECT_EQ(to_json(read), text);
  ASSERT_EQ(read.hosts.size(), 2U);
  EXPECT_EQ(read.hosts[0].compute->stencil_points, 1.0 / 3);
  EXPECT_EQ(read.hosts[1].compute, std::nullopt);
  ASSERT_EQ(read.pairs.size(), 3U);
  const PairProfile& pair = read.pairs[2];
  EXPECT_EQ(pair.from, 1);
  EXPECT_EQ(pair.loss, 0.1 + 0.01);
  EXPECT_EQ(pair.loss_sample, 20000U);
  EXPECT_EQ(pair.second_copy_loss[1].spacing, 0.005);
  EXPECT_EQ(pair.second_copy_loss[1].sample, 1900U);
  EXPECT_EQ(pair.round_trip.p99, 0.081);
}

TEST(ProfileFile, that_nests_too_deep_is_refused) {
  EXPECT_THAT(complaint([](json& profile) {
                for (int depth = 0; depth < 300; ++depth)
                  profile["note"] = json::array({profile["note"]});
              }),
              AllOf(HasSubstr("net.json: "), HasSubstr("open in each other")));
}

TEST(ProfileFile, has_the_keys_of_the_command_lines_contract) {
  const json profile = json::parse(to_json(two_hosts()));
  EXPECT_EQ(profile["version"], 1);
  EXPECT_EQ(profile["hosts"][0]["compute"]["dgemm_flops"], 3.3e10);
  const json& pair = profile["pairs"][0];
  for (const char* key : {"from", "to", "packet_size", "loss", "burst", "bandwidth"})
    EXPECT_TRUE(pair[key].is_number()) << key;
  EXPECT_EQ(pair["loss_interval"], json({0.09, 0.13}));
  EXPECT_EQ(pair["second_copy_loss"][1]["loss"], 0.125);
  EXPECT_EQ(pair["rtt"]["median"], 0.0712);
}

TEST(ProfileFile, needs_no_more_than_the_contract_asks_for) {
  json profile = json::parse(to_json(two_hosts()));
  profile.erase("measured_at");
  profile["hosts"][1].erase("compute");
  profile["hosts"][0]["compute"] = {{"dgemm_flops", 1e9}};
  for (json& pair : profile["pairs"]) {
    pair.erase("fragmented");
    pair.erase("loss_sample");
    pair["second_copy_loss"] = json::array();
  }
  const Profile read = from_json(profile.dump(), "net.json");
  EXPECT_EQ(read.hosts[0].compute->dgemm_flops, 1e9);
  EXPECT_EQ(read.hosts[0].compute->sort_keys, 0);
  EXPECT_FALSE(read.pairs[0].fragmented);
}

TEST(ProfileFile, is_written_whole_and_read_from_a_file) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "net.json";
  write_profile(path, two_hosts());
  EXPECT_EQ(folder.files(), 1U);
  EXPECT_EQ(to_json(read_profile(path)), to_json(two_hosts()));
}

TEST(ProfileFile, is_not_written_if_it_could_not_be_read_back) {
  const test::TemporaryFolder folder;
  Profile profile = two_hosts();
  profile.pairs[1].loss = 1;
  EXPECT_THROW(write_profile(folder.path() / "net.json", profile), UsageError);
  EXPECT_EQ(folder.files(), 0U);
}

TEST(ProfileFile, that_is_not_there_or_no_file_is_named) {
  const test::TemporaryFolder folder;
  for (const auto& path : {folder.path() / "none.json", folder.path()}) {
    try {
      read_profile(path);
      ADD_FAILURE() << path;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
    }
  }
}

TEST(ProfileFile, of_another_version_is_refused_with_both_numbers) {
  for (const json& version : {json(2), json("1"), json(0), json(1.5)}) {
    const std::string said = complaint([&](json& profile) { profile["version"] = version; });
    EXPECT_THAT(said, AllOf(HasSubstr("net.json: version is " + version.dump()), HasSubstr("version 1")));
  }
  EXPECT_THAT(complaint([](json& profile) { profile.erase("version"); }), HasSubstr("version is missing"));
}

TEST(ProfileFile, is_told_from_other_files_that_lbsp_writes) {
  const auto said_of = [](const std::string& text) -> std::string {
    try {
      from_json(text, "net.json");
    } catch (const UsageError& error) {
      return error.what();
    }
    return "nothing";
  };
  const std::string report = R"({"version": 1, "ranks": 2, "per_rank": [{"rank": 0}, {"rank": 1}]})";
  const char* const advice = "no profile: give one that lbsp probe --json has written";
  EXPECT_THAT(said_of(report),
              AllOf(HasSubstr("net.json: this is the report of a run, and "), HasSubstr(advice)));
  EXPECT_EQ(said_of(json::parse(report).dump(1)), said_of(report));
  const std::string line = R"({"version": 2, "superstep": 0, "rank": 0})"
                           "\n";
  EXPECT_THAT(said_of(line + line), AllOf(HasSubstr("this is the trace of a run, and "), HasSubstr(advice)));
}

TEST(ProfileFile, may_lack_pairs_but_not_all) {
  EXPECT_EQ(complaint([](json& profile) { profile["pairs"].erase(2); }), "nothing");
  EXPECT_THAT(complaint([](json& profile) { profile.erase("pairs"); }), HasSubstr("pairs is missing"));
  EXPECT_THAT(complaint([](json& profile) { profile["pairs"] = json::array(); }),
              HasSubstr("net.json: pairs is []: no pair was measured"));
}

TEST(ProfileFile, keeps_pairs_that_failed_with_their_reason) {
  Profile profile = two_hosts();
  profile.failed = {{.from = 1, .to = 0, .reason = "it stopped answering"}};
  const Profile read = from_json(to_json(profile), "net.json");
  ASSERT_EQ(read.failed.size(), 1U);
  EXPECT_EQ(read.failed[0].from, 1);
  EXPECT_EQ(read.failed[0].reason, "it stopped answering");
  EXPECT_THAT(complaint([](json& one) {
                one["failed"] = {{{"from", 0}, {"to", 0}, {"reason", ""}}};
              }),
              HasSubstr("failed[0].to is 0"));
  EXPECT_THAT(complaint([](json& one) {
                one["failed"] = {{{"from", 0}, {"to", 1}}};
              }),
              HasSubstr("failed[0].reason is missing"));
}

TEST(ProfileFile, keeps_the_largest_datagram_that_arrives_whole_if_it_is_known) {
  Profile profile = two_hosts();
  profile.pairs[1].largest_datagram = 1392;
  const Profile read = from_json(to_json(profile), "net.json");
  EXPECT_EQ(read.pairs[0].largest_datagram, std::nullopt);
  EXPECT_EQ(read.pairs[1].largest_datagram, 1392);
  EXPECT_THAT(complaint_about_pair("largest_datagram", 65508),
              HasSubstr("pairs[1].largest_datagram is 65508"));
}

TEST(ProfileFile, names_the_place_of_a_value_out_of_range) {
  EXPECT_THAT(complaint_about_pair("loss", 1), HasSubstr("net.json: pairs[1].loss is 1: "));
  EXPECT_THAT(complaint_about_pair("loss", -0.1), HasSubstr("pairs[1].loss is -0.1"));
  EXPECT_THAT(complaint_about_pair("packet_size", 0), HasSubstr("pairs[1].packet_size is 0"));
  EXPECT_THAT(complaint_about_pair("packet_size", 65508), HasSubstr("pairs[1].packet_size is 65508"));
  EXPECT_THAT(complaint_about_pair("from", 2), HasSubstr("pairs[1].from is 2"));
  EXPECT_THAT(complaint_about_pair("to", -1), HasSubstr("pairs[1].to is -1"));
  EXPECT_THAT(complaint_about_pair("to", 0), HasSubstr("pairs[1].to is 0"));
  EXPECT_THAT(complaint_about_pair("burst", 0.5), HasSubstr("pairs[1].burst is 0.5"));
  EXPECT_THAT(complaint_about_pair("bandwidth", 0), HasSubstr("pairs[1].bandwidth is 0"));
  EXPECT_THAT(complaint_about_pair("bandwidth", 1e-300), HasSubstr("give a number from 0.125 to "));
  EXPECT_THAT(complaint_about_pair("bandwidth", 1e18), HasSubstr("pairs[1].bandwidth is 1e+18"));
  EXPECT_THAT(complaint_about_pair("loss_interval", json({0.2, 0.1})), HasSubstr("pairs[1].loss_interval"));
  EXPECT_THAT(complaint_about_pair("loss_interval", json({0.2})), HasSubstr("pairs[1].loss_interval"));
  EXPECT_THAT(complaint_about_pair("loss_sample", -1), HasSubstr("pairs[1].loss_sample is -1"));
  EXPECT_THAT(complaint_about_pair("rtt", {{"min", -1e-3}, {"median", 1}, {"p99", 2}}),
              HasSubstr("pairs[1].rtt.min is -0.001"));
  EXPECT_THAT(complaint_about_pair("rtt", {{"min", 1}, {"median", 2}, {"p99", 1e300}}),
              HasSubstr("pairs[1].rtt.p99 is 1e+300: give a number from 0 to 3600"));
  EXPECT_THAT(complaint_about_pair("rtt", {{"min", 2}, {"median", 1}, {"p99", 2}}),
              HasSubstr("pairs[1].rtt"));
  EXPECT_THAT(complaint_about_pair("second_copy_loss", json({{{"spacing", -1}, {"loss", 0.1}}})),
              HasSubstr("pairs[1].second_copy_loss[0].spacing is -1"));
  EXPECT_THAT(complaint_about_pair("second_copy_loss", json({{{"spacing", 0}, {"loss", 1.1}}})),
              HasSubstr("pairs[1].second_copy_loss[0].loss is 1.1"));
  EXPECT_THAT(complaint([](json& profile) { profile["hosts"][0]["compute"]["dgemm_flops"] = 0; }),
              HasSubstr("hosts[0].compute.dgemm_flops is 0"));
  EXPECT_THAT(complaint([](json& profile) { profile["hosts"][0]["compute"]["fft_flops"] = 1e-300; }),
              HasSubstr("hosts[0].compute.fft_flops is 1e-300: give 0.001 or more"));
}

TEST(ProfileFile, names_the_place_of_a_value_of_the_wrong_type) {
  for (const char* key : {"from", "packet_size", "loss", "burst", "bandwidth", "rtt", "loss_interval"}) {
    EXPECT_THAT(complaint_about_pair(key, "many"),
                HasSubstr("pairs[1]." + std::string(key) + " is \"many\""));
    EXPECT_THAT(complaint_about_pair(key, nullptr),
                HasSubstr("pairs[1]." + std::string(key) + " is missing"));
  }
  EXPECT_THAT(complaint_about_pair("fragmented", 1), HasSubstr("pairs[1].fragmented is 1"));
  EXPECT_THAT(complaint_about_pair("packet_size", 1400.5), HasSubstr("pairs[1].packet_size is 1400.5"));
  EXPECT_THAT(complaint([](json& profile) { profile["hosts"] = 3; }), HasSubstr("hosts is 3"));
  EXPECT_THAT(complaint([](json& profile) { profile["hosts"][1]["name"] = 3; }),
              HasSubstr("hosts[1].name is 3"));
  EXPECT_THAT(complaint([](json& profile) { profile["pairs"][1] = 3; }), HasSubstr("pairs[1] is 3"));
  EXPECT_THAT(complaint([](json& profile) { profile = 3; }), HasSubstr("net.json: the whole is 3"));
}

TEST(ProfileFile, tells_a_host_or_an_entry_that_stands_twice) {
  EXPECT_THAT(complaint([](json& profile) { profile["hosts"][1]["name"] = "a.example.org"; }),
              HasSubstr("hosts[1].name is \"a.example.org\": name every host once"));
  EXPECT_THAT(complaint_about_pair("packet_size", 512), HasSubstr("pairs[1] is "));
}

TEST(ProfileFile, that_is_not_json_is_refused_in_one_line) {
  for (const char* text : {"", "{", "not json", "{\"version\": 1e999}", "[1, 2", "\xff\xfe"}) {
    try {
      from_json(text, "net.json");
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("net.json: "), Not(HasSubstr("\n")))) << text;
    }
  }
}

}  // namespace
}  // namespace lbsp::profile
