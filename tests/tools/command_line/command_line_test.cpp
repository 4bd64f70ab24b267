#include "tools/command_line/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What an attempt to read `words` is refused with; empty if it is not.
std::string refusal(command_line::CommandLine& line, const std::vector<std::string>& words) {
  try {
    EXPECT_TRUE(line.parse(words));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(CommandLine, sets_values_in_the_order_in_which_they_were_added) {
  std::string order;
  command_line::CommandLine line("tool", "", "");
  line.add(
      "--first", [&](const std::string& text) { order += text; }, "X", "");
  line.add(
      "second", [&](const std::string& text) { order += text; }, "X", "");
  EXPECT_EQ(refusal(line, {"b", "--first", "a"}), "");
  EXPECT_EQ(order, "ab");
}

TEST(CommandLine, shows_types_defaults_and_choices_in_the_help_but_nothing_hidden) {
  std::uint64_t size = 7;
  std::string kind = "red";
  std::string file;
  bool secret = false;
  command_line::CommandLine line("tool", "About.", "Footer.");
  line.add_whole("--size", size, {1, 9}, "how many");
  line.add_choice("--kind", kind, {"red", "blue"}, "of which");
  line.add("--file", file, "FILE", "where to");
  line.add_flag("--secret", secret, "of no use");
  line.hide("--secret");
  const char* const words[] = {"tool", "--help"};
  const std::string help = line.parse_silently(2, words).value_or("");
  EXPECT_THAT(help, HasSubstr("About."));
  EXPECT_THAT(help, HasSubstr("--size N (1 to 9) [7]"));
  EXPECT_THAT(help, HasSubstr("--kind red|blue [red]"));
  EXPECT_THAT(help, HasSubstr("--file FILE  "));
  EXPECT_THAT(help, HasSubstr("Footer."));
  EXPECT_THAT(help, testing::Not(HasSubstr("--secret")));
}

TEST(CommandLine, says_in_the_help_which_options_go_with_which) {
  std::string file;
  bool all = false;
  bool none = false;
  command_line::CommandLine line("tool", "", "");
  line.add("--file", file, "FILE", "where to, with --all");
  line.add_flag("--all", all, "everything");
  line.add_flag("--none", none, "nothing");
  line.need("--file", "--all");
  line.need("--none", "--file");
  line.exclude("--none", {"--all"});
  const char* const words[] = {"tool", "--help"};
  const std::string help = line.parse_silently(2, words).value_or("");
  EXPECT_THAT(help, HasSubstr("--file FILE                 where to, with --all\n"));
  EXPECT_THAT(help, HasSubstr("--all                       everything; not with --none\n"));
  EXPECT_THAT(help, HasSubstr("--none                      nothing; needs --file; not with --all\n"));
}

TEST(CommandLine, refuses_what_it_was_not_told_of_with_the_command_and_the_word) {
  std::uint64_t size = 7;
  std::string kind;
  bool quiet = false;
  bool computes = true;
  command_line::CommandLine line("tool", "", "");
  line.add_whole("--size", size, {1, 9}, "");
  line.add_choice("--kind", kind, {"red", "blue"}, "");
  line.add_flag("--quiet", quiet, "");
  line.add_flag(
      "--no-compute", [&] { computes = false; }, "");
  line.exclude("--kind", {"--size"});
  line.need("--kind", "--quiet");
  for (const auto& words : std::vector<std::vector<std::string>>{{"--size", "10"},
                                                                 {"--size", "x"},
                                                                 {"--size", "-1"},
                                                                 {"--size"},
                                                                 {"--size", "1", "--size", "2"},
                                                                 {"--kind", "green", "--quiet"},
                                                                 {"--kind", "red"},
                                                                 {"--kind", "red", "--quiet", "--size", "1"},
                                                                 {"--quiet=perhaps"},
                                                                 {"--no-compute=perhaps"},
                                                                 {"--nonsense"}}) {
    const std::string what = refusal(line, words);
    EXPECT_THAT(what, testing::StartsWith("tool: "));
    EXPECT_THAT(what, HasSubstr(words.front().substr(0, words.front().find('='))));
    EXPECT_THAT(what, testing::EndsWith(": see tool --help"));
  }
  EXPECT_EQ(refusal(line, {"--kind", "red", "--quiet", "--no-compute"}), "");
  EXPECT_EQ(kind, "red");
  EXPECT_TRUE(quiet);
  EXPECT_FALSE(computes);
}

TEST(CommandLine, takes_the_end_of_the_options_for_no_value) {
  std::string folder;
  std::optional<std::string> copies;
  std::string set;
  command_line::CommandLine line("tool", "", "");
  line.add("--folder", folder, "DIR", "");
  line.add("--copies", copies, "K", "");
  line.add(
      "-n", [&](const std::string& text) { set = text; }, "N", "");
  line.leave_rest("-- COMMAND");
  for (const char* option : {"--folder", "--copies", "-n"})
    EXPECT_EQ(refusal(line, {option, "--", "command"}),
              std::string("tool: ") + option + ": a value is missing before --: see tool --help");
  EXPECT_EQ(refusal(line, {"--folder", "--x", "--", "command"}), "");
  EXPECT_EQ(folder, "--x");
  EXPECT_THAT(line.rest(), ElementsAre("--", "command"));
}

TEST(CommandLine, says_of_a_flag_with_a_value_that_it_takes_none) {
  bool quiet = false;
  command_line::CommandLine line("tool", "", "");
  line.add_flag("--quiet", quiet, "");
  for (const char* flag : {"--quiet", "--help"})
    EXPECT_EQ(refusal(line, {std::string(flag) + "=3"}),
              std::string("tool: ") + flag + " takes no value: give it alone: see tool --help");
  EXPECT_FALSE(quiet);
}

TEST(CommandLine, asks_for_the_value_that_an_option_lacks) {
  std::uint64_t size = 7;
  std::string rate;
  command_line::CommandLine line("tool", "", "");
  line.add_whole("--size", size, {1, 9000}, "");
  line.add("--rate", rate, "R", "");
  EXPECT_EQ(refusal(line, {"--size"}), "tool: --size has no value: give one: see tool --help");
  EXPECT_EQ(refusal(line, {"--size", "8", "--rate"}), "tool: --rate has no value: give one: see tool --help");
}

TEST(CommandLine, reads_whole_numbers_in_decimal_and_names_those_that_it_takes) {
  std::uint64_t size = 7;
  std::uint64_t seed = 1;
  command_line::CommandLine line("tool", "", "");
  line.add_whole("--size", size, {1, 9000}, "");
  line.add_whole("--seed", seed, "");
  EXPECT_EQ(refusal(line, {"--size", "1e3"}),
            "tool: --size: 1e3 is no whole number from 1 to 9000: see tool --help");
  EXPECT_EQ(refusal(line, {"--seed", "-1"}),
            "tool: --seed: -1 is no whole number from 0 to 18446744073709551615: see tool --help");
  EXPECT_EQ(refusal(line, {"--size", "010", "--seed", "18446744073709551615"}), "");
  EXPECT_EQ(size, 10U);
  EXPECT_EQ(seed, ~std::uint64_t{0});
}

TEST(CommandLine, says_what_may_stand_where_there_is_a_choice) {
  std::string kind = "red";
  command_line::CommandLine line("tool", "", "");
  line.add_choice("--kind", kind, {"red", "green", "blue"}, "");
  EXPECT_EQ(refusal(line, {"--kind", "black"}),
            "tool: --kind black: use red, green or blue: see tool --help");
  EXPECT_EQ(refusal(line, {"--kind", "blue"}), "");
  EXPECT_EQ(kind, "blue");
}

TEST(CommandLine, says_what_goes_together_and_what_does_not) {
  bool all = false;
  bool none = false;
  std::string file;
  command_line::CommandLine line("tool", "", "");
  line.add_flag("--all", all, "");
  line.add_flag("--none", none, "");
  line.add("--file", file, "FILE", "");
  line.exclude("--all", {"--none"});
  line.need("--file", "--all");
  EXPECT_EQ(refusal(line, {"--all", "--none"}),
            "tool: --all with --none: leave one of them out: see tool --help");
  EXPECT_EQ(refusal(line, {"--file", "x"}), "tool: --file without --all: give both: see tool --help");
}

/// Whatever lbsp says begins with its name already.
TEST(CommandLine, does_not_name_a_part_of_lbsp_twice) {
  command_line::CommandLine line("lbsp tool", "", "");
  EXPECT_EQ(refusal(line, {"x"}), "unexpected x: see lbsp tool --help");
  EXPECT_EQ(refusal(line, {"--help=3"}), "--help takes no value: give it alone: see lbsp tool --help");
}

TEST(CommandLine, names_words_that_it_does_not_expect_in_their_order) {
  std::uint64_t size = 7;
  command_line::CommandLine line("tool", "", "");
  line.add_whole("--size", size, "");
  EXPECT_EQ(refusal(line, {"--speed", "3", "--size", "4", "b", "a"}),
            "tool: unexpected --speed 3 b a: see tool --help");
}

TEST(CommandLine, tells_where_options_of_the_starter_belong) {
  std::uint64_t size = 7;
  command_line::CommandLine line("tool", "", "");
  line.add_whole("--size", size, "");
  line.know_starter("lbsp run", "--size --wan --tag");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--wan", "loss=5%"}, {"--wan=loss=5%"}, {"x", "--wan", "loss=5%", "--tag"}})
    EXPECT_EQ(refusal(line, words),
              "tool: --wan is an option of lbsp run: give it before the program: lbsp run --wan … -- tool");
  EXPECT_EQ(refusal(line, {"--size", "9"}), "");
}

TEST(CommandLine, leaves_the_words_of_another_command) {
  bool quiet = false;
  command_line::CommandLine line("tool", "", "");
  line.add_flag("--quiet", quiet, "");
  line.leave_rest("-- COMMAND");
  EXPECT_EQ(refusal(line, {"--quiet", "--", "other", "--quiet=perhaps", "--help"}), "");
  EXPECT_TRUE(quiet);
  EXPECT_THAT(line.rest(), ElementsAre("--", "other", "--quiet=perhaps", "--help"));
}

}  // namespace
}  // namespace lbsp::programs
