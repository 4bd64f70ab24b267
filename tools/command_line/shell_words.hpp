#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lbsp::command_line {

/// Splits as a shell does: at blanks, with '…', "…" and \ to quote; nothing is expanded. Throws UsageError
/// for a quote that is not closed.
std::vector<std::string> split_words(std::string_view text);

/// The word such that a shell reads it as `text`.
std::string quote_word(const std::string& text);

}  // namespace lbsp::command_line
