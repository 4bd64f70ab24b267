#include "tools/command_line/whole_number.hpp"

#include <charconv>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::command_line {

std::optional<std::uint64_t> whole_number_in(std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    return std::nullopt;
  return value;
}

std::uint64_t read_whole_number(std::string_view text, const char* option, std::uint64_t least,
                                std::uint64_t most) {
  const auto value = whole_number_in(text, least, most);
  if (!value)
    throw UsageError(fmt::format("{} {}: choose a whole number from {} to {}", option, text, least, most));
  return *value;
}

}  // namespace lbsp::command_line
