#include "tools/command_line/json_nesting.hpp"

#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::command_line {

bool nests_too_deep(std::string_view json) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_nesting) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

void require_shallow(std::string_view json, const std::string& source) {
  if (nests_too_deep(json))
    throw UsageError(fmt::format(
        "{}: more than {} lists and objects open in each other there, as in no file of lbsp: give the path of another",
        source, deepest_nesting));
}

}  // namespace lbsp::command_line
