#pragma once

#include <string>
#include <string_view>

namespace lbsp::command_line {

/// Ten times what any file of lbsp has.
inline constexpr int deepest_nesting = 256;

/// As nests_deeper_than() says of so many.
bool nests_too_deep(std::string_view json);

/// Every file or input that is JSON passes here before it is parsed. Throws UsageError, which names the source, if the
/// text nests too deep.
void require_shallow(std::string_view json, const std::string& source);

}  // namespace lbsp::command_line
