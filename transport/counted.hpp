#pragma once

#include <fmt/format.h>
#include <string>

namespace lbsp {

/// "1 line", "2 lines": a number of things with a plural in s, …
template <class Number>
std::string counted(Number number, const char* thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

/// … or with another one: "1 entry", "2 entries".
template <class Number>
std::string counted(Number number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

}  // namespace lbsp
