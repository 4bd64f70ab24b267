#include "model/tuning/assumptions.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lbsp::model::tuning {
namespace {

/// Three copies of two packets to one other node.
Circumstances spread() {
  return {.loss = 0.1,
          .loss_after_loss = 0.11,
          .round_trip = 0.05,
          .packet_seconds = 1e-5,
          .packets_per_message = 2,
          .packets_per_node = 2,
          .copies = 3};
}

/// What the doubts are about, in the order in which they are told.
std::vector<std::string> broken(const Circumstances& circumstances) {
  std::vector<std::string> out;
  for (const std::string& doubt : doubts(circumstances))
    for (const char* subject : {"independent losses", "copies raise the loss", "share repair", "fragment"})
      if (doubt.find(subject) != std::string::npos) out.emplace_back(subject);
  return out;
}

using Broken = std::vector<std::string>;

TEST(Assumptions, hold_for_spread_copies_of_short_messages_on_a_fast_link) {
  EXPECT_EQ(broken(spread()), Broken{});
}

TEST(Assumptions, doubt_copies_that_are_lost_together_or_by_turns) {
  for (const double again : {0.5, 0.151, 0.066, 0.01}) {
    Circumstances here = spread();
    here.loss_after_loss = again;
    EXPECT_EQ(broken(here), Broken{"independent losses"}) << again;
  }
  for (const double again : {0.149, 0.067}) {
    Circumstances here = spread();
    here.loss_after_loss = again;
    EXPECT_EQ(broken(here), Broken{}) << again;
  }
}

TEST(Assumptions, know_nothing_of_losses_together_where_none_are_known) {
  Circumstances here = spread();
  here.loss_after_loss.reset();
  EXPECT_EQ(broken(here), Broken{});
  here.loss = 0;
  here.loss_after_loss = 0.5;
  EXPECT_EQ(broken(here), Broken{});
}

TEST(Assumptions, doubt_copies_that_keep_the_link_busy_for_more_than_a_round_trip) {
  Circumstances here = spread();
  here.packets_per_node = 1667;
  EXPECT_EQ(broken(here), Broken{"copies raise the loss"});
  here.packets_per_node = 1666;
  EXPECT_EQ(broken(here), Broken{});
  here.packets_per_node = 10'000;
  here.copies = 2;
  EXPECT_EQ(broken(here), (Broken{"copies raise the loss"}));
  here.copies = 1;
  EXPECT_EQ(broken(here), Broken{});
}

TEST(Assumptions, doubt_messages_of_one_packet_to_many) {
  Circumstances here = spread();
  here.packets_per_message = 1;
  EXPECT_EQ(broken(here), Broken{"share repair"});
  here.packets_per_node = 1;
  EXPECT_EQ(broken(here), Broken{});
}

TEST(Assumptions, doubt_fragments) {
  Circumstances here = spread();
  here.fragmented = true;
  EXPECT_EQ(broken(here), Broken{"fragment"});
}

TEST(Assumptions, say_with_numbers_what_is_wrong) {
  Circumstances here = spread();
  here.loss_after_loss = 0.5;
  EXPECT_EQ(
      doubts(here).front(),
      "the loss is 10 %, but 50 % after a loss: copies help less than predicted for independent losses");
  here.loss_after_loss = 0.16;
  EXPECT_EQ(
      doubts(here).front(),
      "the loss is 10 %, but 16 % after a loss: copies help less than predicted for independent losses");
  here.loss_after_loss = 0.01;
  EXPECT_EQ(doubts(here).front(),
            "the loss is 10 %, but 1 % after a loss: copies help more than predicted for independent losses");
}

TEST(Assumptions, are_of_losses_and_copies_that_can_be) {
  Circumstances here = spread();
  here.loss = 1;
  EXPECT_THROW(doubts(here), std::invalid_argument);
  here = spread();
  here.loss_after_loss = 1;
  EXPECT_THROW(doubts(here), std::invalid_argument);
  here = spread();
  here.copies = 0;
  EXPECT_THROW(doubts(here), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::tuning
