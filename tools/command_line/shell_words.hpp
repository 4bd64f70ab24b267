#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transport/quoted_word.hpp"

namespace lbsp::command_line {

/// Splits as a shell does: at blanks, with '…', "…" and \ to quote; nothing is expanded. Throws UsageError
/// for a quote that is not closed.
std::vector<std::string> split_words(std::string_view text);

using lbsp::quote_word;

}  // namespace lbsp::command_line
