#include "tools/launch/report/report_screen.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <span>
#include <vector>

#include "tools/command_line/short_number.hpp"
#include "tools/launch/places/rank_names.hpp"
#include "tools/launch/report/job_figures.hpp"
#include "tools/launch/report/report_screen_network.hpp"
#include "tools/launch/request/redundancy_option.hpp"
#include "transport/counted.hpp"
#include "transport/printable.hpp"
#include "transport/quantity.hpp"
#include "transport/udp/sockets/port.hpp"

namespace lbsp::launch::report {

using survival::Losses;

namespace {

constexpr int digits = 3;

std::string time_text(Seconds seconds) {
  return transport::format_duration(std::chrono::duration_cast<transport::Duration>(seconds), digits);
}

std::string percent(double fraction) {
  return command_line::short_number(100 * fraction) + " %";
}

std::string line(const char* name, const std::string& text) {
  return fmt::format("  {:<12}{}\n", name, text);
}

std::string datagrams_text(const transport::TrafficCounters& traffic) {
  return fmt::format("{} sent, {} resent, {} received, {} duplicate, {} rejected", traffic.datagrams_sent,
                     traffic.segments_resent, traffic.datagrams_received, traffic.segments_duplicate,
                     traffic.datagrams_rejected);
}

/// Fewer than one in a thousand change nothing that a user would notice.
bool many_overflowed(const transport::TrafficCounters& traffic) {
  return 1000 * traffic.datagrams_overflowed > traffic.datagrams_received;
}

/// What was measured or, where ranks missed each other before that could be, pretended.
transport::Duration round_trip_of(const JobReport& report) {
  const auto& wan = report.options().wan;
  return std::max(network_of(report).round_trip_time, wan ? wan->round_trip_time : transport::Duration{0});
}

/// Where ranks are missed before they can have answered.
bool answers_too_late(const JobReport& report) {
  return report.size() > 1 && round_trip_of(report) > report.options().exchange.peer_timeout;
}

std::string timeout_text(const JobReport& report) {
  constexpr int round_trips = 4;
  return fmt::format(
      "--peer-timeout {} is less than a round trip: ranks that were there may have been given up: give {} or more",
      transport::format_duration(report.options().exchange.peer_timeout),
      transport::format_duration(round_trips * round_trip_of(report), 2));
}

std::string overflow_text(const transport::TrafficCounters& traffic) {
  const auto came = traffic.datagrams_received + traffic.datagrams_overflowed;
  return fmt::format(
      "{} of {} datagrams found a full receive buffer: allow larger ones on every host with "
      "'sysctl -w net.core.rmem_max={}'",
      traffic.datagrams_overflowed, came, transport::UdpPort::usual_buffer_bytes);
}

std::string copies_text(const JobReport& report) {
  const char* policy = request::name_of(report.options().exchange.redundancy);
  std::string text = fmt::format("{}, {:.3g} sent on average", policy, mean_copies(report));
  if (most_copies(report) > 0) text += fmt::format(", {} at most", most_copies(report));
  return text;
}

/// Says of how many supersteps it is, unless of all: of those of earlier worlds only the sums are told.
std::string prediction_text(const Prediction& prediction, std::uint64_t supersteps) {
  const std::string of_some = prediction.supersteps < supersteps
                                  ? fmt::format(" in {} of {} supersteps", prediction.supersteps, supersteps)
                                  : "";
  return fmt::format("{} communicating{}, {} to {} in nine of ten, measured {}, error {} %",
                     time_text(prediction.predicted), of_some, time_text(prediction.interval.from),
                     time_text(prediction.interval.to), time_text(prediction.measured),
                     command_line::short_change(100 * prediction.error()));
}

/// Of one model alone, which is lbsp's, the line of what was predicted says enough.
std::string models_table(const JobReport& report) {
  if (report.models().size() < 2) return "";
  std::string text = line("models", fmt::format("{:<15}{}", "measured", time_text(total_time(report))));
  const char* what = ", in nine of ten runs";
  for (const estimate::ModelEstimate& each : report.models()) {
    std::string words = fmt::format("{:<15}{}", each.title, time_text(Seconds{each.seconds}));
    if (each.interval) {
      words += fmt::format("{} {} to {}", what, time_text(Seconds{each.interval->from}),
                           time_text(Seconds{each.interval->to}));
      what = ",";
    }
    text += line("", words);
  }
  return text;
}

std::string bytes_text(const JobReport& report, const transport::TrafficCounters& traffic) {
  std::string text = transport::format_size(traffic.payload_bytes_sent, digits) + " payload";
  if (traffic.near_bytes_sent > 0)
    text += fmt::format(", {} of it within hosts by memory",
                        transport::format_size(traffic.near_bytes_sent, digits));
  if (traffic.wire_bytes_sent > 0)
    text += fmt::format(", {} on the wire", transport::format_size(traffic.wire_bytes_sent, digits));
  const transport::BytesPerSecond speed = goodput(report);
  if (speed.value > 0) text += fmt::format(", goodput {}", transport::format_rate(speed, digits));
  return text;
}

std::string standstill_text(const JobReport& report, const JobReport::Standstill& standstill) {
  const Rank first = standstill.ranks.front();
  const std::string host = standstill.ranks.size() == 1 ? " on " + report.placement().host_of(first) : "";
  return fmt::format("{}{}: others waited for {}", places::name_ranks(standstill.ranks), host,
                     time_text(standstill.waited));
}

std::string joined_text(const Losses::Change& change) {
  const auto stood_still = change.stood_still();
  return fmt::format("{} after {}: {} went on, agreed in {}{}", places::name_ranks(change.joined),
                     time_text(change.at), counted(change.what.members.size(), "rank"),
                     transport::format_duration(change.what.agreement, digits),
                     stood_still ? ", stood still for " + time_text(*stood_still) : "");
}

std::string change_text(const Losses::Change& change) {
  const job::Changed& what = change.what;
  const std::string who =
      what.lost.empty() ? "no rank, though some were silent," : places::name_ranks(what.lost);
  const std::string how =
      what.seated.empty()
          ? ""
          : fmt::format(" with {}", counted(what.seated.size(), "new process", "new processes"));
  const std::string silence =
      what.lost.empty() ? "" : transport::format_duration(what.silence, digits) + " after the last word, ";
  const auto stood_still = change.stood_still();
  const std::string again =
      change.in_a_row > 1 ? fmt::format(" ({} times in a row without progress)", change.in_a_row) : "";
  return fmt::format("{} after {}{}: {} went on{}, {}agreed in {}{}", who, time_text(change.at), again,
                     counted(what.members.size(), "rank"), how, silence,
                     transport::format_duration(what.agreement, digits),
                     stood_still ? ", stood still for " + time_text(*stood_still) : "");
}

/// Who was lost where the job went on, or where it did not come to that. Of a long job's it may be very many.
std::string losses_text(const JobReport& report) {
  constexpr std::size_t most_told = 10;
  const auto& changes = report.losses().changes();
  const std::size_t forgotten = report.losses().forgotten_changes();
  std::string text;
  for (const Losses::Change& change : std::span(changes).first(std::min(changes.size(), most_told))) {
    const bool only_joined = !change.joined.empty() && change.what.lost.empty();
    text += only_joined ? line("joined", joined_text(change)) : line("lost", change_text(change));
  }
  if (changes.size() > most_told)
    text +=
        line("", fmt::format("and {} of the world more, the last after {}, {} --json has",
                             counted(changes.size() - most_told + forgotten, "change"),
                             time_text(changes.back().at), forgotten > 0 ? "the newest of which" : "which"));
  return text;
}

/// What the ranks note of the states that they keep (Keeper).
std::string states_text(const std::map<std::string, double>& figures) {
  const auto figure = [&](const char* name) {
    const auto found = figures.find(name);
    return found == figures.end() ? 0.0 : found->second;
  };
  std::string text =
      fmt::format("{} kept, now every {} steps of {}, {} each", figure("kept"), figure("interval"),
                  time_text(Seconds{figure("step_seconds")}), time_text(Seconds{figure("seconds_each")}));
  if (figures.contains("elsewhere")) {
    text += fmt::format("; {} of them on other hosts, {} each", figure("elsewhere"),
                        time_text(Seconds{figure("elsewhere_seconds_each")}));
    if (figures.contains("elsewhere_interval"))
      text += fmt::format(", now every {} steps", figure("elsewhere_interval"));
  }
  if (figures.contains("forecast_part"))
    text += fmt::format("; forecast to add {} to the time, losses counted", percent(figure("forecast_part")));
  return text;
}

std::string kept_states(const JobReport& report) {
  for (Rank rank = 0; rank < report.size(); ++rank) {
    const auto& told = report.rank(rank);
    if (!told) continue;
    const auto found = told->notes.find("states");
    if (found == told->notes.end() || !found->second.contains("seconds_each")) continue;
    return line("states", states_text(found->second));
  }
  return "";
}

/// Whose figures are in the report, where they are not of all.
std::string reported_text(const JobReport& report) {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < report.size(); ++rank)
    if (report.rank(rank)) ranks.push_back(rank);
  if (ranks.empty()) return fmt::format("by none of {} ranks", report.took_part());
  return fmt::format("by {} of {} ranks ({}): the figures are of {} only", ranks.size(), report.took_part(),
                     places::name_ranks(ranks), ranks.size() == 1 ? "this one" : "these");
}

std::string datagram_lines(const JobReport& report, const transport::TrafficCounters& traffic) {
  std::string text = line("network", network_text(report));
  text += line("copies", copies_text(report));
  text += line("datagrams", datagrams_text(traffic) + (report.reason() ? ", in finished supersteps" : ""));
  if (const std::string lengths = lengths_text(report); !lengths.empty()) text += line("path MTU", lengths);
  if (answers_too_late(report)) text += line("warning", timeout_text(report));
  if (many_overflowed(traffic)) text += line("warning", overflow_text(traffic));
  if (traffic.rounds > 0)
    text += line("rounds", fmt::format("{} of 2τ, summed over the ranks", traffic.rounds));
  return text;
}

std::string verified_text(std::optional<bool> verified) {
  if (!verified) return "the program did not check its answer";
  return *verified ? "yes" : "NO: the program found its answer wrong";
}

}  // namespace

std::string report_as_text(const JobReport& report) {
  const request::RunOptions& options = report.options();
  const auto traffic = traffic_of(report);
  const bool within_hosts = report.shared_memory() && options.backend == job::Backend::udp;
  const bool exchanges = report.size() > 1 || traffic.datagrams_sent > 0;
  const bool by_datagrams = exchanges && options.backend == job::Backend::udp;
  std::string text = fmt::format(
      "lbsp: {} on {}{}{}{}\n", printable(options.program), counted(report.took_part(), "rank"),
      exchanges ? fmt::format(" over {}", job::name_of(options.backend)) : "",
      within_hosts ? " and, within hosts, shared-memory" : "", report.reason() ? ", NOT FINISHED" : "");
  text += losses_text(report);
  text += kept_states(report);
  if (report.reported() < report.took_part()) text += line("reported", reported_text(report));
  if (options.wan) text += line("pretended", transport::to_string(*options.wan));
  text += line("supersteps", std::to_string(supersteps_of(report)));
  text += line("time", fmt::format("{}: {} computing, {} communicating", time_text(total_time(report)),
                                   time_text(compute_time(report)), time_text(communicate_time(report))));
  if (const auto standstill = report.standstill())
    text += line("waited for", standstill_text(report, *standstill));
  if (options.backend == job::Backend::udp && slowest_of(report, &job::RankReport::start) > Seconds{0}) {
    std::string text_of_both =
        fmt::format("{} to join", time_text(slowest_of(report, &job::RankReport::start)));
    if (slowest_of(report, &job::RankReport::end) > Seconds{0})
      text_of_both += fmt::format(", {} to leave", time_text(slowest_of(report, &job::RankReport::end)));
    text +=
        line(slowest_of(report, &job::RankReport::end) > Seconds{0} ? "start, end" : "start", text_of_both);
  }
  if (const auto prediction = report.records().prediction())
    text += line("predicted", prediction_text(*prediction, supersteps_of(report)));
  text += models_table(report);
  if (by_datagrams) text += datagram_lines(report, traffic);
  if (exchanges) text += line("bytes", bytes_text(report, traffic));
  // A program that was cut short has not come so far.
  if (!report.reason() || report.verified()) text += line("verified", verified_text(report.verified()));
  return text;
}

std::string ranks_that_found_it_wrong(const JobReport& report) {
  std::string first;
  int more = -1;
  for (Rank rank = 0; rank < report.size(); ++rank) {
    const auto& told = report.rank(rank);
    if (!told || told->verified != false) continue;
    if (first.empty()) first = fmt::format("rank {} on {}", rank, report.placement().host_of(rank));
    ++more;
  }
  return more > 0 ? fmt::format("{} and {} more", first, more) : first;
}

}  // namespace lbsp::launch::report
