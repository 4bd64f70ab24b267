#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lbsp::model {

/// One line of a table, by column name.
using CsvRow = std::map<std::string, std::string>;

inline std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// The reference data of that name beside the tests. Throws if there is none, so that no test passes on
/// nothing.
inline std::vector<CsvRow> read_reference(const std::string& name) {
  std::ifstream file(std::string(LBSP_MODEL_TEST_DATA) + "/" + name);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("no reference data " + name);
  const std::vector<std::string> header = split_csv(line);
  std::vector<CsvRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split_csv(line);
    if (cells.size() != header.size())
      throw std::runtime_error(name + ": not as long as the header: line " + std::to_string(rows.size() + 1));
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i)
      row[header[i]] = cells[i];
  }
  if (rows.empty()) throw std::runtime_error("no rows in " + name);
  return rows;
}

inline double number(const CsvRow& row, const std::string& column) {
  return std::strtod(row.at(column).c_str(), nullptr);
}

inline int whole(const CsvRow& row, const std::string& column) {
  return std::stoi(row.at(column));
}

/// |value - reference| within `relative` of the reference.
inline bool close(double value, double reference, double relative) {
  const double scale = reference < 0 ? -reference : reference;
  const double off = value < reference ? reference - value : value - reference;
  return off <= relative * scale;
}

}  // namespace lbsp::model
