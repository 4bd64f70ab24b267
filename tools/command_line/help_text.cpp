#include "tools/command_line/help_text.hpp"

#include <algorithm>
#include <sstream>
#include <unistd.h>
#include <vector>

#include "tools/command_line/screen.hpp"

namespace lbsp::command_line {
namespace {

constexpr std::size_t fewest_columns = 80;
constexpr std::size_t columns_of_a_pipe = 100;
constexpr std::size_t most_columns = 120;

/// help2man takes a line that begins with an option behind at most ten blanks for the description of one.
constexpr std::size_t continued = 12;

std::vector<std::string> words_in(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

/// How much of a word too long for `room` columns goes there: up to a comma; nothing if there is none.
std::size_t part_that_fits(const std::string& word, std::size_t room) {
  const std::size_t comma = room == 0 ? std::string::npos : word.rfind(',', room - 1);
  return comma == std::string::npos ? 0 : comma + 1;
}

/// A shell's command in lines that it reads as one.
std::string command_in_lines(std::string_view line, std::size_t columns) {
  constexpr std::size_t backslash = 2;  // and the blank before it
  if (columns_of(line) <= columns) return std::string(line);
  std::string text(line.substr(0, std::min(line.find_first_not_of(' '), line.size())));
  std::size_t used = text.size();
  bool first = true;
  const std::vector<std::string> words = words_in(line);
  for (std::size_t begin = 0; begin < words.size();) {
    // An option and its value stay together.
    std::string piece = words[begin++];
    while (begin < words.size() && !words[begin].starts_with("--"))
      piece.append(" ").append(words[begin++]);
    if (!first && used + 1 + columns_of(piece) + backslash > columns) {
      text += " \\\n";
      text.append(continued, ' ');
      used = continued;
    } else if (!first) {
      text += " ";
      ++used;
    }
    text += piece;
    used += columns_of(piece);
    first = false;
  }
  return text;
}

}  // namespace

std::size_t help_columns() {
  if (::isatty(STDOUT_FILENO) == 0) return columns_of_a_pipe;
  return std::clamp(screen_columns(STDOUT_FILENO), fewest_columns, most_columns);
}

std::size_t columns_of(std::string_view text) {
  // All bytes of a character but its first begin with the bits 10.
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string in_lines(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string out;
  std::size_t used = indent;
  const auto break_line = [&] {
    out += '\n';
    out.append(indent, ' ');
    used = indent;
  };
  const auto put = [&](const std::string& word) {
    out += word;
    used += columns_of(word);
  };
  for (std::string word : words_in(text)) {
    const std::size_t blank = used > indent ? 1 : 0;
    if (used + blank + columns_of(word) > columns && blank > 0) {
      break_line();
    } else if (blank > 0) {
      put(" ");
    }
    while (used + columns_of(word) > columns) {
      const std::size_t part = part_that_fits(word, columns - std::min(columns, used));
      if (part == 0 || part == word.size()) break;
      put(word.substr(0, part));
      word.erase(0, part);
      break_line();
    }
    put(word);
  }
  return out;
}

std::string laid_out(std::string_view text, std::size_t columns) {
  std::string out;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) out += in_lines(paragraph, columns, 0) + "\n";
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && !line.starts_with(' ') && !line.starts_with("Example")) {
      paragraph += std::string(line) + " ";
      continue;
    }
    end_paragraph();
    out += command_in_lines(line, columns) + "\n";
  }
  end_paragraph();
  return out;
}

}  // namespace lbsp::command_line
