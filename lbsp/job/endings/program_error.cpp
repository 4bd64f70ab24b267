#include "lbsp/job/endings/program_error.hpp"

#include <fmt/format.h>

namespace lbsp::job::endings {

std::string failure_of(Rank rank, const std::string& host, std::string told) {
  const std::string itself = fmt::format("rank {} ", rank);
  const std::string whole = fmt::format("{}on {}", itself, host);
  if (told.starts_with(whole + ":") || told.starts_with(whole + " ")) return told;
  if (told.starts_with(itself)) return fmt::format("{} {}", whole, told.substr(itself.size()));
  const std::string again = fmt::format(" on rank {}", rank);
  const auto place = told.find(again);
  const auto end = place + again.size();
  const auto ends_a_word = [](char c) { return c == ' ' || c == ':'; };
  if (place != std::string::npos && end < told.size() && ends_a_word(told[end]))
    told.erase(place, again.size());
  return fmt::format("{}: {}", whole, told);
}

}  // namespace lbsp::job::endings
