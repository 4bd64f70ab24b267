#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lbsp::command_line {

/// The decimal number, if `text` is one from `least` to `most`.
std::optional<std::uint64_t> whole_number_in(std::string_view text, std::uint64_t least, std::uint64_t most);

/// The whole number that was given for `option`. Throws UsageError, which names the option, if `text` is not
/// a whole number from `least` to `most`.
std::uint64_t read_whole_number(std::string_view text, const char* option, std::uint64_t least,
                                std::uint64_t most);

/// The same for numbers of any type, of which none may be below 0.
template <std::integral Number>
Number whole_number(std::string_view text, const char* option, Number least, Number most) {
  return static_cast<Number>(
      read_whole_number(text, option, static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)));
}

}  // namespace lbsp::command_line
