#pragma once

#include <string>
#include <string_view>

namespace lbsp::command_line {

/// Ten times what any file of lbsp has. A text of brackets alone would take minutes and gigabytes as JSON.
inline constexpr int deepest_nesting = 256;

/// Whether this text of JSON opens more than so many lists and objects in each other. Looks no further than the first
/// bracket that is one too many; of a text that is no JSON it may say either.
bool nests_too_deep(std::string_view json);

/// Every file or input that is JSON passes here before it is parsed. Throws UsageError, which names the source, if the
/// text nests too deep.
void require_shallow(std::string_view json, const std::string& source);

}  // namespace lbsp::command_line
