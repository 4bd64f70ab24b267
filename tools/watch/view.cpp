#include "tools/watch/view.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/quantity.hpp"

namespace lbsp::watch {
namespace {

using nlohmann::json;

/// Besides the ranks: the line about the whole, the heading, and two at the end.
constexpr std::size_t other_lines = 4;
constexpr std::size_t most_named = 8;

std::string time_text(double seconds) {
  return transport::format_duration(transport::Duration{static_cast<transport::Duration::rep>(seconds * 1e9)},
                                    3);
}

std::string doing_text(const json& rank) {
  auto doing = rank.at("doing").get<std::string>();
  if (doing != "waits") return doing;
  return fmt::format("waits, {}", time_text(rank.at("seconds").at("waiting").get<double>()));
}

/// A figure of each rank.
struct Column {
  const char* heading;
  int width;
  bool left;  ///< where a text is that is shorter
  int use;    ///< the one of least use is left out first
};

constexpr std::size_t host_column = 1;
constexpr std::size_t longest_host = 16;
constexpr std::array<Column, 9> columns{{{"rank", 5, false, 9},
                                         {"host", 4, true, 7},
                                         {"superstep", 9, false, 6},
                                         {"does", 14, true, 8},
                                         {"computed", 8, false, 3},
                                         {"communicated", 12, false, 2},
                                         {"loss", 7, false, 5},
                                         {"RTT", 7, false, 4},
                                         {"rate", 11, false, 1}}};

using Cells = std::array<std::string, columns.size()>;

Cells cells_of(const json& rank) {
  Cells out;
  out[0] = fmt::to_string(rank.at("rank").get<int>());
  out[host_column] = fmt::format("{:.{}}", printable(rank.at("host").get<std::string>()), longest_host);
  out[3] = printable(doing_text(rank));
  // It has never answered.
  if (rank.at("superstep").is_null()) {
    out[2] = "?";
    return out;
  }
  out[2] = fmt::to_string(rank.at("superstep").get<std::uint64_t>());
  out[4] = time_text(rank.at("seconds").at("compute").get<double>());
  out[5] = time_text(rank.at("seconds").at("communicate").get<double>());
  const json& network = rank.at("network");
  const double round_trip = network.at("rtt");
  const double rate = network.at("rate");
  if (round_trip > 0) out[6] = fmt::format("{:.2f} %", 100 * network.at("loss").get<double>());
  if (round_trip > 0) out[7] = time_text(round_trip);
  if (rate > 0) out[8] = transport::format_rate({rate}, 3);
  return out;
}

/// The figures for which there is room beside each other, and the room of each.
class Table {
 public:
  Table(const std::vector<Cells>& ranks, std::size_t room) {
    std::size_t whole = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      widths_[i] = static_cast<std::size_t>(columns[i].width);
      // A host's name is the same in every view: the others do not move.
      for (const Cells& cells : ranks)
        if (i == host_column) widths_[i] = std::max(widths_[i], fmt::formatted_size("{}", cells[i]));
      whole += widths_[i] + (i > 0 ? 1 : 0);
    }
    // The rank and what it does stay, and are cut.
    for (int use = 1; use + 2 <= static_cast<int>(columns.size()) && whole > room; ++use) {
      const auto least = std::ranges::find(columns, use, &Column::use) - columns.begin();
      whole -= std::exchange(widths_[static_cast<std::size_t>(least)], 0) + 1;
    }
  }

  std::string heading() const {
    Cells out;
    std::ranges::transform(columns, out.begin(), &Column::heading);
    return line(out);
  }

  std::string line(const Cells& cells) const {
    std::string out;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (widths_[i] > 0)
        out += columns[i].left ? fmt::format("{:<{}} ", cells[i], widths_[i])
                               : fmt::format("{:>{}} ", cells[i], widths_[i]);
    return out.substr(0, out.find_last_not_of(' ') + 1) + '\n';
  }

 private:
  std::array<std::size_t, columns.size()> widths_{};  ///< 0: left out
};

/// The ranks that are waited for, then all others.
std::vector<const json*> in_order(const json& answer, const std::set<int>& awaited) {
  std::vector<const json*> ranks;
  for (const json& rank : answer.at("per_rank"))
    ranks.push_back(&rank);
  std::stable_partition(ranks.begin(), ranks.end(),
                        [&](const json* rank) { return awaited.contains(rank->at("rank").get<int>()); });
  return ranks;
}

std::string awaited_text(const std::set<int>& awaited, std::size_t ranks) {
  if (awaited.empty() || awaited.size() == ranks) return "";
  std::vector<int> named(awaited.begin(), awaited.end());
  const std::size_t more = named.size() > most_named ? named.size() - most_named : 0;
  named.resize(named.size() - more);
  return fmt::format("The others wait for rank{} {}{}.\n", awaited.size() == 1 ? "" : "s",
                     fmt::join(named, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// As much of the text as there is room for.
std::string within(const std::string& text, Room room) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t lines = 0; lines < room.lines && begin < text.size(); ++lines) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    out += (line.size() > room.columns ? fmt::format("{:.{}}", line, room.columns) : line) + '\n';
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string view_of(const json& answer, Room room) {
  try {
    const json& waited_for = answer.at("waited_for");
    const std::set<int> awaited(waited_for.begin(), waited_for.end());
    std::vector<Cells> ranks;
    for (const json* rank : in_order(answer, awaited))
      ranks.push_back(cells_of(*rank));
    std::string text = fmt::format(
        "{} on {} over {}: superstep {}, {}\n", printable(answer.at("program").get<std::string>()),
        counted(ranks.size(), "rank"), printable(answer.at("backend").get<std::string>()),
        answer.at("superstep").get<std::uint64_t>(), time_text(answer.at("seconds").get<double>()));
    const Table table(ranks, room.columns);
    text += table.heading();
    const std::size_t shown = std::min(ranks.size(), room.lines > other_lines ? room.lines - other_lines : 1);
    for (std::size_t i = 0; i < shown; ++i)
      text += table.line(ranks[i]);
    if (shown < ranks.size()) text += fmt::format("and {} more\n", ranks.size() - shown);
    return within(text + awaited_text(awaited, ranks.size()), room);
  } catch (const json::exception&) {
    throw UsageError("the job's answer is not understood: watch it with the lbsp that runs it");
  }
}

}  // namespace lbsp::watch
