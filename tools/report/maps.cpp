#include "tools/report/maps.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "transport/quantity.hpp"

namespace lbsp::report {
namespace {

using trace_file::Trace;

constexpr std::size_t most_ranks_in_map = 64;

struct Cell {
  double shade = 0;  ///< the darkest cell has the most
  std::string text;
};

/// A value of every rank for every other.
class Map {
 public:
  explicit Map(std::size_t ranks) : ranks_(ranks), cells_(ranks * ranks) {}

  Cell& at(std::size_t from, std::size_t to) { return cells_[from * ranks_ + to]; }

  std::string table(const char* caption) const {
    std::string out = fmt::format("<table class=\"map\"><caption>{}</caption>\n<tr><th></th>", caption);
    for (std::size_t to = 0; to < ranks_; ++to)
      out += fmt::format("<th>{}</th>", to);
    for (std::size_t from = 0; from < ranks_; ++from) {
      out += fmt::format("</tr>\n<tr><th>{}</th>", from);
      for (std::size_t to = 0; to < ranks_; ++to)
        out += cell(cells_[from * ranks_ + to]);
    }
    return out + "</tr>\n</table>";
  }

 private:
  std::string cell(const Cell& each) const {
    const double most = std::ranges::max_element(cells_, {}, &Cell::shade)->shade;
    const double part = most > 0 ? each.shade / most : 0;
    return fmt::format("<td style=\"background: rgba(47, 111, 181, {:.2f})\">{}</td>", 0.7 * part, each.text);
  }

  std::size_t ranks_;
  std::vector<Cell> cells_;
};

std::string section(const char* title, const std::string& content) {
  return fmt::format("<section><h2>{}</h2>\n{}</section>\n", title, content);
}

bool too_many(const Trace& trace) {
  return static_cast<std::size_t>(trace.ranks()) > most_ranks_in_map;
}

std::string not_drawn(const Trace& trace) {
  return fmt::format("<p>A map of {} ranks is not drawn: {} at most.</p>", trace.ranks(), most_ranks_in_map);
}

}  // namespace

std::string map_of_bytes(const Trace& trace) {
  if (too_many(trace)) return section("Bytes", not_drawn(trace));
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  Map map(ranks);
  for (std::size_t from = 0; from < ranks; ++from)
    for (const trace_file::Step& step : trace.steps[from])
      for (const trace_file::BytesTo& to : step.to)
        map.at(from, static_cast<std::size_t>(to.rank)).shade += to.bytes;
  for (std::size_t from = 0; from < ranks; ++from)
    for (std::size_t to = 0; to < ranks; ++to)
      if (Cell& cell = map.at(from, to); cell.shade > 0)
        cell.text = transport::format_size(static_cast<std::uint64_t>(std::min(cell.shade, 1e18)), 3);
  return section("Bytes", map.table("from the rank of the row to that of the column"));
}

std::string map_of_losses(const Trace& trace) {
  const bool any = std::ranges::any_of(trace.ends, [](const auto& end) { return !end.lost_from.empty(); });
  if (!any) return {};
  if (too_many(trace)) return section("Lost", not_drawn(trace));
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  Map map(ranks);
  for (std::size_t to = 0; to < ranks; ++to)
    for (const trace_file::LostFrom& path : trace.ends[to].lost_from) {
      Cell& cell = map.at(static_cast<std::size_t>(path.rank), to);
      if (path.datagrams == 0) continue;
      cell.shade = static_cast<double>(path.lost) / static_cast<double>(path.datagrams);
      cell.text = fmt::format("{:.3g} % of {}", 100 * cell.shade, path.datagrams);
    }
  return section("Lost", map.table("part of the datagrams from the rank of the row to that of the column"));
}

}  // namespace lbsp::report
