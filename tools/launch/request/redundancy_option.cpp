#include "tools/launch/request/redundancy_option.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <string_view>

#include "transport/error.hpp"
#include "transport/redundancy.hpp"

namespace lbsp::launch::request {
namespace {

using transport::Redundancy;

struct Copies {
  int single = 0;  ///< 0: not given, or auto
  int longer = 0;  ///< 0: not given
};

std::optional<int> whole_number(std::string_view text, int least, int most) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = problem == std::errc{} && end == text.data() + text.size();
  if (!whole || number < least || number > most) return std::nullopt;
  return number;
}

Copies parse_copies(const std::string& text) {
  if (text == "auto") return {};
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto single = whole_number(std::string_view(text).substr(0, comma), 1, transport::max_copies);
  const auto longer = comma == text.size()
                          ? std::optional(0)
                          : whole_number(std::string_view(text).substr(comma + 1), 1, transport::max_copies);
  if (!single || !longer)
    throw UsageError(fmt::format(
        "--copies {}: choose a whole number from 1 to {}, or auto; or two numbers with a comma between, "
        "for short and for longer messages",
        text, transport::max_copies));
  return {*single, *longer};
}

std::optional<int> parse_repair(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto repair = whole_number(*text, 0, transport::most_repair_segments);
  if (!repair)
    throw UsageError(fmt::format("--repair {}: choose a whole number from 0 to {}", *text,
                                 transport::most_repair_segments));
  return repair;
}

/// 0: not given.
std::uint32_t parse_tail(const std::optional<std::string>& text) {
  if (!text) return 0;
  const auto tail = whole_number(*text, 1, std::numeric_limits<int>::max());
  if (!tail) throw UsageError(fmt::format("--tail {}: choose a whole number of segments, 1 or more", *text));
  return static_cast<std::uint32_t>(*tail);
}

/// Nothing: none.
std::optional<Redundancy> parse_kind(const std::string& text) {
  if (text == "none") return std::nullopt;
  if (text == "auto") return Redundancy::automatic;
  if (text == "copies") return Redundancy::copies;
  if (text == "coded") return Redundancy::coded;
  throw UsageError(fmt::format("--redundancy {}: use auto, copies, coded or none", text));
}

void refuse_if(bool contradict, const char* option, const std::optional<std::string>& word,
               const char* other_option, const std::optional<std::string>& other_word) {
  if (contradict)
    throw UsageError(
        fmt::format("{} {} with {} {}: leave one of them out", option, *word, other_option, *other_word));
}

}  // namespace

void set_redundancy(transport::ExchangeOptions& options, const RedundancyWords& words) {
  const Copies copies = words.copies ? parse_copies(*words.copies) : Copies{};
  const std::optional<int> repair = parse_repair(words.repair);
  const std::uint32_t tail = parse_tail(words.tail);
  const std::optional<Redundancy> kind =
      words.redundancy ? parse_kind(*words.redundancy) : Redundancy::automatic;
  const bool is_none = !kind;
  const bool automatic_copies = words.copies == "auto";
  refuse_if(repair && (copies.longer > 0 || automatic_copies), "--repair", words.repair, "--copies",
            words.copies);
  refuse_if(repair && words.redundancy && kind != Redundancy::coded, "--repair", words.repair, "--redundancy",
            words.redundancy);
  const bool takes_copies = !words.redundancy || kind == Redundancy::copies || repair ||
                            (is_none && copies.single == 1 && copies.longer <= 1);
  refuse_if((copies.single > 0 && !takes_copies) || (is_none && automatic_copies), "--redundancy",
            words.redundancy, "--copies", words.copies);
  const bool is_fixed = copies.single > 0 || repair || is_none;
  if (tail > 0 && (!is_fixed || is_none))
    throw UsageError(
        fmt::format("--tail {} without a fixed protection: give --repair or --copies too", tail));
  if ((kind == Redundancy::coded || repair) && options.recovery != transport::Recovery::receiver)
    throw UsageError(
        fmt::format("{} with rounds: the schemes of the model send copies: use --redundancy copies, or "
                    "--recovery receiver",
                    repair ? "--repair" : "--redundancy coded"));
  options.redundancy = is_fixed ? Redundancy::fixed : *kind;
  if (!is_fixed) return;
  options.copies = std::max(copies.single, 1);
  options.longer_copies = copies.longer;
  options.repair_segments = repair;
  options.protected_tail = tail;
}

const char* name_of(Redundancy redundancy) {
  switch (redundancy) {
    case Redundancy::automatic:
      return "auto";
    case Redundancy::copies:
      return "copies";
    case Redundancy::coded:
      return "coded";
    case Redundancy::fixed:
      break;
  }
  return "fixed";
}

}  // namespace lbsp::launch::request
