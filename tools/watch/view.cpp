#include "tools/watch/view.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/quantity.hpp"

namespace lbsp::watch {
namespace {

using nlohmann::json;

/// Besides the ranks: the line about the whole, the heading, and two at the end.
constexpr std::size_t other_rows = 4;
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

std::string line_of(const json& rank) {
  // It has never answered.
  if (rank.at("superstep").is_null())
    return fmt::format("{:>5} {:<16.16} {:>9} {}\n", rank.at("rank").get<int>(),
                       printable(rank.at("host").get<std::string>()), "?", printable(doing_text(rank)));
  const json& network = rank.at("network");
  const double round_trip = network.at("rtt");
  const double rate = network.at("rate");
  return fmt::format(
      "{:>5} {:<16.16} {:>9} {:<16} {:>10} {:>13} {:>7} {:>9} {:>12}\n", rank.at("rank").get<int>(),
      printable(rank.at("host").get<std::string>()), rank.at("superstep").get<std::uint64_t>(),
      printable(doing_text(rank)), time_text(rank.at("seconds").at("compute").get<double>()),
      time_text(rank.at("seconds").at("communicate").get<double>()),
      round_trip > 0 ? fmt::format("{:.2f} %", 100 * network.at("loss").get<double>()) : "",
      round_trip > 0 ? time_text(round_trip) : "", rate > 0 ? transport::format_rate({rate}, 3) : "");
}

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

}  // namespace

std::string view_of(const json& answer, std::size_t rows) {
  try {
    const json& waited_for = answer.at("waited_for");
    const std::set<int> awaited(waited_for.begin(), waited_for.end());
    const auto ranks = in_order(answer, awaited);
    std::string text = fmt::format(
        "{} on {} over {}: superstep {}, {}\n", printable(answer.at("program").get<std::string>()),
        counted(ranks.size(), "rank"), printable(answer.at("backend").get<std::string>()),
        answer.at("superstep").get<std::uint64_t>(), time_text(answer.at("seconds").get<double>()));
    text += fmt::format("{:>5} {:<16} {:>9} {:<16} {:>10} {:>13} {:>7} {:>9} {:>12}\n", "rank", "host",
                        "superstep", "does", "computed", "communicated", "loss", "RTT", "rate");
    const std::size_t shown = std::min(ranks.size(), rows > other_rows ? rows - other_rows : 1);
    for (std::size_t i = 0; i < shown; ++i)
      text += line_of(*ranks[i]);
    if (shown < ranks.size()) text += fmt::format("and {} more\n", ranks.size() - shown);
    return text + awaited_text(awaited, ranks.size());
  } catch (const json::exception&) {
    throw UsageError("the job's answer is not understood: watch it with the lbsp that runs it");
  }
}

}  // namespace lbsp::watch
