// The same protection for whoever asks: what lbsp tune advises for a network, what the planner of a run picks
// for the same superstep, what the advised command makes of it, and what the choice of a collective assumes.
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "lbsp/collectives/choice.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "lbsp/plan/protocol.hpp"
#include "model/tuning/setting.hpp"
#include "tools/launch/request/redundancy_option.hpp"
#include "tools/tune/advice_text.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::tune {
namespace {

using transport::MessagePlan;
using transport::PlannedMessage;

struct Case {
  model::tuning::Program program;
  model::tuning::PacketPath path;
};

/// Losses of 0 to 40 %, some in runs, round trips of 2 to 300 ms, 2 to 200 ranks, messages of 0 to 4 MB.
Case random_case(std::mt19937_64& random) {
  const auto between = [&](double least, double most) {
    return least * std::pow(most / least, std::uniform_real_distribution<double>(0, 1)(random));
  };
  const double ranks = std::floor(between(2, 200));
  const double destinations = std::floor(between(1, ranks));
  Case made{model::tuning::own_program({.work_seconds = 1,
                                        .supersteps = 3,
                                        .message_bytes = std::floor(between(1, 4e6)) - 1,
                                        .destinations = destinations},
                                       ranks),
            {.packet_bytes = std::floor(between(256, 9000)),
             .bandwidth = between(1e5, 1e9),
             .path = {.round_trip = 1e-6 * std::floor(between(2e3, 3e5)), .loss = between(1e-4, 0.4)}}};
  made.program.short_supersteps = 0;  // the planner knows of no job's end
  const int kind = std::uniform_int_distribution<int>(0, 9)(random);
  if (kind == 0) made.path.path.loss = 0;
  if (kind >= 7) made.path.path.loss_after_loss = between(made.path.path.loss * 1.1, 0.6);
  return made;
}

/// One rank's messages in a superstep of the program, as its transport cuts and knows them.
std::vector<PlannedMessage> messages_of(const Case& of) {
  const auto& path = of.path.path;
  const transport::PathForecast forecast{
      .loss = path.loss,
      .loss_after_loss = path.lost_again(),
      .loss_sample = 1e9,
      .round_trip = transport::Duration{std::llround(path.round_trip * 1e9)},
      .round_trip_variation = transport::Duration{0}};
  const auto room = static_cast<std::uint64_t>(of.path.packet_bytes) - transport::data_overhead_bytes;
  const auto& framing = plan::protocol().framing;
  std::vector<PlannedMessage> messages;
  for (int to = 1; to < static_cast<int>(of.program.nodes); ++to) {
    const bool speaks = to <= of.program.destinations;
    const auto bytes = static_cast<std::uint64_t>(framing.message +
                                                  (speaks ? framing.record + of.program.message_bytes : 0));
    messages.push_back({to, bytes, static_cast<std::uint32_t>((bytes + room - 1) / room), forecast});
  }
  return messages;
}

std::vector<MessagePlan> planned(const transport::ExchangeOptions& options, const Case& of,
                                 const std::vector<PlannedMessage>& messages) {
  std::vector<MessagePlan> plans(messages.size());
  plan::ModelPlanner(options).plan({.rank = 0,
                                    .size = static_cast<Rank>(of.program.nodes),
                                    .recovery = transport::Recovery::receiver,
                                    .rate = {of.path.bandwidth},
                                    .datagram_bytes = static_cast<std::size_t>(of.path.packet_bytes),
                                    .messages = messages},
                                   plans);
  return plans;
}

/// As `lbsp run` reads them.
transport::ExchangeOptions read(const std::string& text) {
  launch::request::RedundancyWords words;
  std::istringstream in(text);
  for (std::string option, word; in >> option >> word;) {
    if (option == "--copies") words.copies = word;
    if (option == "--repair") words.repair = word;
    if (option == "--tail") words.tail = word;
  }
  transport::ExchangeOptions options{.redundancy = transport::Redundancy::automatic};
  launch::request::set_redundancy(options, words);
  return options;
}

std::string text_of(const MessagePlan& plan) {
  return "k=" + std::to_string(plan.copies) + " r=" + std::to_string(plan.repair_segments) +
         " from=" + std::to_string(plan.first_protected) + (plan.coded ? " coded" : "");
}

MessagePlan plan_of(const model::superstep::Protection& protection) {
  return {.copies = protection.copies,
          .repair_segments = protection.repair_segments,
          .first_protected = static_cast<std::uint32_t>(protection.first_protected),
          .coded = protection.coded};
}

TEST(TunePlan, is_the_running_planner_s_and_the_advised_command_s_and_the_collectives) {
  std::mt19937_64 random(20260);
  int coded = 0;
  int copied = 0;
  int tails = 0;
  for (int i = 0; i < 200; ++i) {
    const Case of = random_case(random);
    const auto setting = model::tuning::best_setting(of.program, of.path, {}, plan::protocol());
    const auto messages = messages_of(of);
    const auto automatic = planned({.redundancy = transport::Redundancy::automatic}, of, messages);
    const std::string command = protection_words(setting);
    const auto fixed = planned(read(command), of, messages);
    for (const std::size_t at : {std::size_t{0}, messages.size() - 1}) {
      const bool longer = messages[at].segments > 1;
      const auto& [short_ones, long_ones] = setting.protection;
      EXPECT_EQ(text_of(automatic[at]), text_of(plan_of(longer ? long_ones : short_ones)))
          << i << ": " << command;
      EXPECT_EQ(text_of(automatic[at]), text_of(fixed[at])) << i << ": " << command;
    }
    coded += setting.is_coded();
    copied += setting.has_longer() && !setting.is_coded();
    tails += setting.protected_tail() > 0;
    if (of.path.path.loss_after_loss) continue;  // the collectives' network knows none
    const std::vector<SuperstepOutline> outline{
        {.messages = 1,
         .busiest = static_cast<std::uint64_t>(of.program.destinations),
         .bytes = messages.front().bytes - collective_overhead_bytes}};
    const double seconds =
        expected_seconds(outline, static_cast<Rank>(of.program.nodes),
                         {.loss = of.path.path.loss,
                          .round_trip_seconds = of.path.path.round_trip,
                          .bytes_per_second = of.path.bandwidth,
                          .datagram_bytes = static_cast<std::size_t>(of.path.packet_bytes)});
    EXPECT_NEAR(seconds * of.program.supersteps / setting.communication, 1, 1e-9) << i;
  }
  // All kinds of advice were among them.
  EXPECT_GT(coded, 50);
  EXPECT_GT(copied, 0);
  EXPECT_GT(tails, 0);
}

}  // namespace
}  // namespace lbsp::tune
