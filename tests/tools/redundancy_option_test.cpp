#include "tools/run/redundancy_option.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.hpp"

namespace lbsp::launch {
namespace {

using transport::Redundancy;
using Word = std::optional<std::string>;

transport::ExchangeOptions options_for(const Word& copies, const Word& redundancy) {
  transport::ExchangeOptions options;
  set_redundancy(options, copies, redundancy);
  return options;
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

TEST(RedundancyOption, that_contradicts_itself_is_refused) {
  for (const auto& [copies, redundancy] :
       {std::pair{"3", "coded"}, {"3", "auto"}, {"2", "none"}, {"auto", "none"}})
    EXPECT_THROW(options_for(copies, redundancy), UsageError) << copies << ' ' << redundancy;
}

TEST(RedundancyOption, coded_needs_the_receiver_s_recovery) {
  transport::ExchangeOptions options;
  options.recovery = transport::Recovery::rounds;
  EXPECT_THROW(set_redundancy(options, {}, "coded"), UsageError);
  set_redundancy(options, {}, "copies");
  EXPECT_EQ(options.redundancy, Redundancy::copies);
}

TEST(RedundancyOption, that_is_no_word_or_number_of_these_is_refused) {
  for (const char* copies : {"0", "17", "-1", "2x", "", "Auto"})
    EXPECT_THROW(options_for(copies, {}), UsageError) << copies;
  for (const char* redundancy : {"", "much", "AUTO"})
    EXPECT_THROW(options_for({}, redundancy), UsageError) << redundancy;
}

}  // namespace
}  // namespace lbsp::launch
