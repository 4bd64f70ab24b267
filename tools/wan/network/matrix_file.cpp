#include "tools/wan/network/matrix_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <vector>

#include "tools/command_line/text_file.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"

namespace lbsp::wan::network {
namespace {

/// For as many pairs as a bed may have, 250 times 250, ample.
constexpr std::size_t most_bytes = std::size_t{32} << 20;

struct Row {
  std::vector<std::string> words;
  int line = 0;
};

std::vector<Row> read_rows(std::istream& in) {
  std::vector<Row> rows;
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    text.erase(std::ranges::find(text, '#'), text.end());
    Row row{{}, number};
    std::istringstream words(text);
    for (std::string word; words >> word;)
      row.words.push_back(word);
    if (!row.words.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

[[noreturn]] void refuse(const std::string& file, const Row& row, const std::string& problem) {
  throw UsageError(fmt::format("{}, line {}: {}", file, row.line, problem));
}

void check_shape(const std::vector<Row>& rows, const std::string& file) {
  if (rows.empty()) throw UsageError(fmt::format("{} has no line: write N lines of N WAN specs", file));
  if (rows.size() > static_cast<std::size_t>(most_hosts)) {
    throw UsageError(fmt::format("{} is for {} hosts: a bed has at most {}", file, rows.size(), most_hosts));
  }
  for (const Row& row : rows) {
    if (row.words.size() == rows.size()) continue;
    refuse(file, row,
           fmt::format("{}, but the file has {}: write N lines of N WAN specs, without blanks "
                       "in them",
                       counted(row.words.size(), "entry", "entries"), counted(rows.size(), "line")));
  }
}

transport::WanSpec read_entry(const std::string& file, const Row& row, int from, int to) {
  const std::string& word = row.words[static_cast<std::size_t>(to)];
  if ((word == "-") != (from == to)) {
    refuse(file, row,
           from == to
               ? fmt::format("\"{}\" is from h{} to itself: write -", word, from)
               : fmt::format("- from h{} to h{}: write a WAN spec such as loss=10%,rtt=70ms", from, to));
  }
  if (from == to) return {};
  try {
    return transport::parse_wan_spec(word);
  } catch (const UsageError& error) {
    refuse(file, row, error.what());
  }
}

}  // namespace

PairSpecs read_matrix(std::istream& in, const std::string& file) {
  const auto rows = read_rows(in);
  check_shape(rows, file);
  const int hosts = static_cast<int>(rows.size());
  PairSpecs specs(hosts, {});
  for (int from = 0; from < hosts; ++from) {
    for (int to = 0; to < hosts; ++to)
      specs.at(from, to) = read_entry(file, rows[static_cast<std::size_t>(from)], from, to);
  }
  return specs;
}

std::string to_matrix(const PairSpecs& specs) {
  std::string text;
  for (int from = 0; from < specs.hosts(); ++from) {
    for (int to = 0; to < specs.hosts(); ++to) {
      text += from == to ? "-" : to_string(specs.at(from, to));
      text += to + 1 < specs.hosts() ? ' ' : '\n';
    }
  }
  return text;
}

PairSpecs read_matrix_file(const std::string& file) {
  std::istringstream in(command_line::read_text_file(file, "the matrix", most_bytes));
  return read_matrix(in, file);
}

}  // namespace lbsp::wan::network
