#include "tools/run/redundancy_option.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::launch {
namespace {

using transport::Redundancy;

/// 0: auto.
int parse_copies(const std::string& text) {
  if (text == "auto") return 0;
  int copies = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), copies);
  const bool whole = problem == std::errc{} && end == text.data() + text.size();
  if (!whole || copies < 1 || copies > transport::max_copies)
    throw UsageError(
        fmt::format("--copies {}: choose a whole number from 1 to {}, or auto", text, transport::max_copies));
  return copies;
}

/// Nothing: none.
std::optional<Redundancy> parse_kind(const std::string& text) {
  if (text == "none") return std::nullopt;
  if (text == "auto") return Redundancy::automatic;
  if (text == "copies") return Redundancy::copies;
  if (text == "coded") return Redundancy::coded;
  throw UsageError(fmt::format("--redundancy {}: use auto, copies, coded or none", text));
}

}  // namespace

void set_redundancy(transport::ExchangeOptions& options, const std::optional<std::string>& copies,
                    const std::optional<std::string>& redundancy) {
  const int number = copies ? parse_copies(*copies) : 0;
  const std::optional<Redundancy> kind = redundancy ? parse_kind(*redundancy) : Redundancy::automatic;
  const bool is_none = !kind;
  const bool takes_number = !redundancy || kind == Redundancy::copies || (is_none && number == 1);
  const bool contradict = (number > 0 && !takes_number) || (is_none && copies == "auto");
  if (contradict)
    throw UsageError(
        fmt::format("--redundancy {} with --copies {}: leave one of them out", *redundancy, *copies));
  if (kind == Redundancy::coded && options.recovery != transport::Recovery::receiver)
    throw UsageError(
        "--redundancy coded with rounds: the schemes of the model send copies: use --redundancy copies, or "
        "--recovery receiver");
  options.redundancy = number > 0 || is_none ? Redundancy::fixed : *kind;
  if (options.redundancy == Redundancy::fixed) options.copies = std::max(number, 1);
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

}  // namespace lbsp::launch
