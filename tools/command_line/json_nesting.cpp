#include "tools/command_line/json_nesting.hpp"

#include <fmt/format.h>

#include "transport/error.hpp"
#include "transport/json_nesting.hpp"

namespace lbsp::command_line {

bool nests_too_deep(std::string_view json) {
  return nests_deeper_than(deepest_nesting, json);
}

void require_shallow(std::string_view json, const std::string& source) {
  if (nests_too_deep(json))
    throw UsageError(fmt::format(
        "{}: more than {} lists and objects open in each other there, as in no file of lbsp: give the path of another",
        source, deepest_nesting));
}

}  // namespace lbsp::command_line
