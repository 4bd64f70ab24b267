// The counts of a bed as text and as JSON.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command_line/answer_version.hpp"
#include "tools/wan/stats.hpp"
#include "transport/quantity.hpp"

namespace lbsp::wan {

using bed::BedRecord;

namespace {

using nlohmann::json;

double part(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

/// Of what came as far as where the network loses something.
double loss(const PairCounts& counts) {
  return part(counts.lost, counts.offered - std::min(counts.offered, counts.queue_drops + counts.too_long));
}

double rate(std::uint64_t before, std::uint64_t now, double seconds) {
  return seconds <= 0 ? 0 : static_cast<double>(now - before) / seconds;
}

/// Seconds.
double mean_lateness(const PairCounts& counts) {
  return part(counts.lateness, counts.delivered) * 1e-9;
}

std::string microseconds(double seconds) {
  return fmt::format("{:.0f} us", seconds * 1e6);
}

std::string bits(double bytes_per_second) {
  return bytes_per_second <= 0 ? "0" : transport::format_rate({bytes_per_second}, 3);
}

std::string row(const std::string& name, const PairCounts& before, const PairCounts& now, double seconds) {
  return fmt::format(
      "{:<11}{:>11} {:>11} {:>9} {:>7.3f}% {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>13} {:>13}\n",
      name, now.offered, now.delivered, now.lost, 100 * loss(now), now.queue_drops + now.downlink_drops,
      now.too_long, now.reordered, now.duplicated, now.corrupted, now.marked, now.late,
      microseconds(mean_lateness(now)), bits(rate(before.offered_bytes, now.offered_bytes, seconds)),
      bits(rate(before.delivered_bytes, now.delivered_bytes, seconds)));
}

std::string table(const BedRecord& bed, const BedCounts& before, const BedCounts& now, double seconds) {
  std::string text = fmt::format(
      "{:<11}{:>11} {:>11} {:>9} {:>8} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>13} {:>13}\n", "",
      "packets", "delivered", "lost", "loss", "queue full", "too long", "reordered", "twice", "corrupted",
      "marked", "late", "by", "sent", "delivered");
  for (int from = 0; from < now.hosts; ++from) {
    text +=
        row(bed.hosts[static_cast<std::size_t>(from)].name, before.sent_by(from), now.sent_by(from), seconds);
    for (int to = 0; to < now.hosts; ++to) {
      if (!now.pair(from, to).any()) continue;
      text += row("  to " + bed.hosts[static_cast<std::size_t>(to)].name, before.pair(from, to),
                  now.pair(from, to), seconds);
    }
  }
  return text;
}

json to_json(const PairCounts& before, const PairCounts& now, double seconds) {
  return {{"offered", now.offered},
          {"offered_bytes", now.offered_bytes},
          {"delivered", now.delivered},
          {"delivered_bytes", now.delivered_bytes},
          {"lost", now.lost},
          {"loss", loss(now)},
          {"queue_drops", now.queue_drops},
          {"downlink_drops", now.downlink_drops},
          {"too_long", now.too_long},
          {"reordered", now.reordered},
          {"duplicated", now.duplicated},
          {"corrupted", now.corrupted},
          {"marked", now.marked},
          {"late", now.late},
          {"lateness",
           {{"mean", mean_lateness(now)}, {"longest", static_cast<double>(now.longest_lateness) * 1e-9}}},
          {"discarded", now.discarded},
          {"refused", now.refused},
          {"rate",
           {{"offered", rate(before.offered_bytes, now.offered_bytes, seconds)},
            {"delivered", rate(before.delivered_bytes, now.delivered_bytes, seconds)}}}};
}

json hosts_json(const BedRecord& bed, const BedCounts& before, const BedCounts& now, double seconds) {
  json hosts = json::array();
  for (int host = 0; host < now.hosts; ++host) {
    const auto index = static_cast<std::size_t>(host);
    hosts.push_back(
        {{"name", bed.hosts[index].name},
         {"address", bed.hosts[index].address},
         {"sent", to_json(before.sent_by(host), now.sent_by(host), seconds)},
         {"received", to_json(before.sent_to(host), now.sent_to(host), seconds)},
         {"device_drops", now.device_drops.empty() ? json(nullptr) : json(now.device_drops[index])}});
  }
  return hosts;
}

}  // namespace

std::string stats_text(const BedRecord& bed, const BedCounts& before, const BedCounts& now, double seconds) {
  std::string text = fmt::format("{}: {} hosts, {}\n", bed.name, now.hosts, bed.network);
  text += table(bed, before, now, seconds);
  text += fmt::format(
      "router: {:.3g} s of a processor{}, waited {:.3g} s for one; {} packets under way, at most {}; {} to "
      "no host\n",
      now.router_seconds,
      seconds > 0
          ? fmt::format(" ({:.0f} % now)", 100 * (now.router_seconds - before.router_seconds) / seconds)
          : "",
      now.router_waited, now.held, now.most_held, now.unroutable);
  const std::string problem = now.shortcomings();
  text +=
      problem.empty() ? "the router kept up\n" : fmt::format("the router could not keep up: {}\n", problem);
  return text;
}

std::string stats_json(const BedRecord& bed, const BedCounts& before, const BedCounts& now, double seconds) {
  json pairs = json::array();
  for (int from = 0; from < now.hosts; ++from) {
    for (int to = 0; to < now.hosts; ++to) {
      if (!now.pair(from, to).any()) continue;
      json pair = to_json(before.pair(from, to), now.pair(from, to), seconds);
      pair["from"] = from;
      pair["to"] = to;
      pairs.push_back(std::move(pair));
    }
  }
  const json answer = {{"version", command_line::answer_version},
                       {"name", bed.name},
                       {"network", bed.network},
                       {"seed", bed.seed},
                       {"seconds", seconds},
                       {"router",
                        {{"alive", bed.router_alive()},
                         {"processor_seconds", now.router_seconds},
                         {"waited_seconds", now.router_waited},
                         {"held", now.held},
                         {"most_held", now.most_held},
                         {"unroutable", now.unroutable}}},
                       {"kept_up", now.shortcomings().empty()},
                       {"device_drops", now.all_device_drops()},
                       {"total", to_json(before.total(), now.total(), seconds)},
                       {"hosts", hosts_json(bed, before, now, seconds)},
                       {"pairs", pairs}};
  return answer.dump(1) + "\n";
}

}  // namespace lbsp::wan
