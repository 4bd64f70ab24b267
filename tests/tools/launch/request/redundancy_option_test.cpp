#include "tools/launch/request/redundancy_option.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "transport/error.hpp"

namespace lbsp::launch::request {
namespace {

using transport::Redundancy;
using Word = std::optional<std::string>;

transport::ExchangeOptions options_for(const RedundancyWords& words) {
  transport::ExchangeOptions options;
  set_redundancy(options, words);
  return options;
}

transport::ExchangeOptions options_for(const Word& copies, const Word& redundancy) {
  return options_for({.copies = copies, .redundancy = redundancy, .repair = {}, .tail = {}});
}

void expect_refused(const RedundancyWords& words, const std::string& said) {
  try {
    options_for(words);
    ADD_FAILURE() << "not refused: " << said;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  }
}

Redundancy kind_for(const Word& copies, const Word& redundancy) {
  return options_for(copies, redundancy).redundancy;
}

TEST(RedundancyOption, is_automatic_unless_told_otherwise) {
  EXPECT_EQ(kind_for({}, {}), Redundancy::automatic);
  EXPECT_EQ(kind_for("auto", {}), Redundancy::automatic);
  EXPECT_EQ(kind_for({}, "auto"), Redundancy::automatic);
  EXPECT_EQ(kind_for("auto", "auto"), Redundancy::automatic);
}

TEST(RedundancyOption, with_a_number_of_copies_is_fixed) {
  for (const Word& redundancy : {Word{}, Word{"copies"}}) {
    const auto options = options_for("3", redundancy);
    EXPECT_EQ(options.redundancy, Redundancy::fixed);
    EXPECT_EQ(options.copies, 3);
  }
}

TEST(RedundancyOption, can_be_planned_within_one_kind) {
  EXPECT_EQ(kind_for({}, "copies"), Redundancy::copies);
  EXPECT_EQ(kind_for("auto", "copies"), Redundancy::copies);
  EXPECT_EQ(kind_for({}, "coded"), Redundancy::coded);
  EXPECT_EQ(kind_for("auto", "coded"), Redundancy::coded);
}

TEST(RedundancyOption, none_sends_everything_once) {
  for (const Word& copies : {Word{}, Word{"1"}}) {
    const auto options = options_for(copies, "none");
    EXPECT_EQ(options.redundancy, Redundancy::fixed);
    EXPECT_EQ(options.copies, 1);
  }
}

TEST(RedundancyOption, with_two_numbers_of_copies_gives_longer_messages_the_second) {
  const auto options = options_for("3,2", {});
  EXPECT_EQ(options.redundancy, Redundancy::fixed);
  EXPECT_EQ(options.copies, 3);
  EXPECT_EQ(options.longer_copies, 2);
  EXPECT_FALSE(options.repair_segments);
  for (const char* copies : {"3,", ",2", "3,17", "3,0", "3,2,1", "3,auto"})
    EXPECT_THROW(options_for(copies, {}), UsageError) << copies;
}

TEST(RedundancyOption, with_repair_is_fixed_and_codes_longer_messages) {
  const auto alone = options_for({.copies = {}, .redundancy = {}, .repair = "0", .tail = {}});
  EXPECT_EQ(alone.redundancy, Redundancy::fixed);
  EXPECT_EQ(alone.copies, 1);
  EXPECT_EQ(alone.repair_segments, 0);
  EXPECT_EQ(alone.protected_tail, 0U);
  const auto all = options_for({.copies = "5", .redundancy = "coded", .repair = "128", .tail = "700"});
  EXPECT_EQ(all.redundancy, Redundancy::fixed);
  EXPECT_EQ(all.copies, 5);
  EXPECT_EQ(all.repair_segments, 128);
  EXPECT_EQ(all.protected_tail, 700U);
}

TEST(RedundancyOption, refuses_repair_and_tails_that_contradict_the_rest) {
  expect_refused({.copies = {}, .redundancy = {}, .repair = "129", .tail = {}}, "--repair 129");
  expect_refused({.copies = {}, .redundancy = {}, .repair = "-1", .tail = {}}, "--repair -1");
  expect_refused({.copies = {}, .redundancy = {}, .repair = "few", .tail = {}}, "--repair few");
  expect_refused({.copies = "auto", .redundancy = {}, .repair = "3", .tail = {}}, "--copies auto");
  expect_refused({.copies = "3,2", .redundancy = {}, .repair = "3", .tail = {}}, "--copies 3,2");
  expect_refused({.copies = {}, .redundancy = "copies", .repair = "3", .tail = {}}, "--redundancy copies");
  expect_refused({.copies = {}, .redundancy = "none", .repair = "3", .tail = {}}, "--redundancy none");
  expect_refused({.copies = {}, .redundancy = {}, .repair = "3", .tail = "0"}, "--tail 0");
  expect_refused({.copies = {}, .redundancy = {}, .repair = {}, .tail = "5"}, "--tail 5");
  expect_refused({.copies = {}, .redundancy = "none", .repair = {}, .tail = "5"}, "--tail 5");
  transport::ExchangeOptions rounds;
  rounds.recovery = transport::Recovery::rounds;
  EXPECT_THROW(set_redundancy(rounds, {.copies = {}, .redundancy = {}, .repair = "3", .tail = {}}),
               UsageError);
}

TEST(RedundancyOption, that_contradicts_itself_is_refused) {
  for (const auto& [copies, redundancy] :
       {std::pair{"3", "coded"}, {"3", "auto"}, {"2", "none"}, {"auto", "none"}})
    EXPECT_THROW(options_for(copies, redundancy), UsageError) << copies << ' ' << redundancy;
}

TEST(RedundancyOption, coded_needs_the_receiver_s_recovery) {
  transport::ExchangeOptions options;
  options.recovery = transport::Recovery::rounds;
  EXPECT_THROW(set_redundancy(options, {.copies = {}, .redundancy = "coded", .repair = {}, .tail = {}}),
               UsageError);
  set_redundancy(options, {.copies = {}, .redundancy = "copies", .repair = {}, .tail = {}});
  EXPECT_EQ(options.redundancy, Redundancy::copies);
}

TEST(RedundancyOption, that_is_no_word_or_number_of_these_is_refused) {
  for (const char* copies : {"0", "17", "-1", "2x", "", "Auto"})
    EXPECT_THROW(options_for(copies, {}), UsageError) << copies;
  for (const char* redundancy : {"", "much", "AUTO"})
    EXPECT_THROW(options_for({}, redundancy), UsageError) << redundancy;
}

}  // namespace
}  // namespace lbsp::launch::request
