#include "tools/command_line/shell_words.hpp"

#include <fmt/format.h>
#include <optional>

#include "transport/error.hpp"

namespace lbsp::command_line {

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escape = c == '\\' && quote != '\'' && i + 1 < text.size();
    if (escape) {
      word = word.value_or("") + text[++i];
    } else if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? '\0' : c;
      word = word.value_or("");
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (word) words.push_back(*word);
      word.reset();
    } else {
      word = word.value_or("") + c;
    }
  }
  if (quote != 0) throw UsageError(fmt::format("{}: a quote ({}) is not closed: close it", text, quote));
  if (word) words.push_back(*word);
  return words;
}

}  // namespace lbsp::command_line
