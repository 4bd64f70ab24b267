#include "tools/check/answer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command_line/answer_version.hpp"

namespace lbsp::check {
namespace {

using Json = nlohmann::ordered_json;

std::string clock_of(const HostSeen& host) {
  if (!host.clock_ahead_s) return "-";
  return fmt::format("{:+.3f} s", *host.clock_ahead_s);
}

/// How many of the others it and they reach each other.
std::string reached(const Seen& seen, int host) {
  int others = 0;
  int reaching = 0;
  for (const PairSeen& pair : seen.pairs) {
    if (pair.from != host) continue;
    ++others;
    reaching += reach_each_other(seen, host, pair.to) ? 1 : 0;
  }
  return fmt::format("{} of {}", reaching, others);
}

/// Of the paths from and to it, the best and the worst that carry anything.
std::string largest(const Seen& seen, int host) {
  std::uint16_t least = 0;
  std::uint16_t most = 0;
  for (const PairSeen& pair : seen.pairs) {
    if ((pair.from != host && pair.to != host) || pair.largest == 0) continue;
    least = least == 0 ? pair.largest : std::min(least, pair.largest);
    most = std::max(most, pair.largest);
  }
  if (most == 0) return "-";
  return least == most ? std::to_string(most) : fmt::format("{}-{}", least, most);
}

std::string line_of(const Seen& seen, int index, std::size_t width) {
  const HostSeen& host = seen.hosts[static_cast<std::size_t>(index)];
  if (!host.silence.empty()) return fmt::format("{:<{}}  does not answer\n", host.name, width);
  return fmt::format("{:<{}}  {:>8}  {:>8}  {:>12}  {:>10}  {:>12}\n", host.name, width,
                     host.port == 0 ? "-" : std::to_string(host.port), reached(seen, index),
                     largest(seen, index), fmt::format("{} KiB", host.buffer_bytes / 2048), clock_of(host));
}

std::string line_of(const Finding& finding) {
  const std::string about = finding.host.empty() ? std::string() : fmt::format("host {}: ", finding.host);
  const std::string advice = finding.to_do.empty() ? std::string() : ": " + finding.to_do;
  return fmt::format("{} {}{}{}\n", finding.grave ? "wrong " : "notice", about, finding.what, advice);
}

Json json_of(const HostSeen& host) {
  Json json{{"name", host.name}, {"answers", host.silence.empty()}};
  if (!host.silence.empty()) {
    json["problem"] = host.silence;
    return json;
  }
  json["port"] = host.port == 0 ? Json(nullptr) : Json(host.port);
  json["buffer_bytes"] = host.buffer_bytes / 2;
  json["program"] = host.program_problem.empty();
  json["clock_ahead_s"] = host.clock_ahead_s ? Json(*host.clock_ahead_s) : Json(nullptr);
  json["clock_error_s"] = host.clock_error_s;
  return json;
}

}  // namespace

std::string as_text(const Seen& seen, const std::vector<Finding>& found) {
  std::size_t width = 4;
  for (const HostSeen& host : seen.hosts)
    width = std::max(width, host.name.size());
  std::string text = fmt::format("{:<{}}  {:>8}  {:>8}  {:>12}  {:>10}  {:>12}\n", "host", width, "UDP port",
                                 "reached", "whole bytes", "buffer", "clock");
  for (int host = 0; host < static_cast<int>(seen.hosts.size()); ++host)
    text += line_of(seen, host, width);
  if (found.empty()) return text + "nothing is wrong\n";
  for (const Finding& each : found)
    text += line_of(each);
  return text;
}

std::string as_json(const Seen& seen, const std::vector<Finding>& found) {
  Json json{{"version", command_line::answer_version},
            {"hosts", Json::array()},
            {"pairs", Json::array()},
            {"findings", Json::array()}};
  for (const HostSeen& host : seen.hosts)
    json["hosts"].push_back(json_of(host));
  for (const PairSeen& pair : seen.pairs)
    json["pairs"].push_back({{"from", pair.from},
                             {"to", pair.to},
                             {"largest_datagram", pair.largest},
                             {"answered", pair.answered}});
  for (const Finding& each : found)
    json["findings"].push_back({{"host", each.host.empty() ? Json(nullptr) : Json(each.host)},
                                {"grave", each.grave},
                                {"what", each.what},
                                {"to_do", each.to_do}});
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lbsp::check
