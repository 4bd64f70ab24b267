#include "tools/launch/report_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/command_line/answer_version.hpp"
#include "tools/launch/losses_json.hpp"
#include "tools/launch/redundancy_option.hpp"
#include "tools/trace_file/packets.hpp"
#include "tools/trace_file/version.hpp"

namespace lbsp::launch {
namespace {

using nlohmann::ordered_json;
using transport::seconds;

ordered_json packets(const transport::TrafficCounters& traffic) {
  return {{"sent", traffic.datagrams_sent},         {"retransmitted", traffic.segments_resent},
          {"copies", traffic.copies_sent},          {"coded", traffic.coded_sent},
          {"received", traffic.datagrams_received}, {"duplicate", traffic.segments_duplicate},
          {"rejected", traffic.datagrams_rejected}, {"overflowed", traffic.datagrams_overflowed}};
}

ordered_json bytes(const transport::TrafficCounters& traffic) {
  return {{"payload", traffic.payload_bytes_sent}, {"wire", traffic.wire_bytes_sent}};
}

ordered_json network(const transport::NetworkMeasure& measure) {
  return {{"loss", measure.loss},
          {"loss_sample", measure.loss_sample},
          {"rtt", seconds(measure.round_trip_time)},
          {"bandwidth", measure.bandwidth.value},
          {"rate", measure.rate.value},
          {"shortest_datagram", measure.shortest_datagram},
          {"longest_datagram", measure.longest_datagram}};
}

ordered_json verdict(std::optional<bool> verified) {
  return verified ? ordered_json(*verified) : ordered_json(nullptr);
}

/// Of the lowest rank that has some; counts as whole numbers.
ordered_json notes_of(const JobReport& report) {
  ordered_json out = ordered_json::object();
  for (Rank rank = 0; rank < report.size() && out.empty(); ++rank) {
    const auto& told = report.rank(rank);
    if (!told) continue;
    for (const auto& [group, figures] : told->notes) {
      for (const auto& [name, value] : figures) {
        constexpr double most_whole = 9007199254740992;  // 2^53
        const bool whole = std::abs(value) <= most_whole && value == std::floor(value);
        out[group][name] = whole ? ordered_json(static_cast<std::int64_t>(value)) : ordered_json(value);
      }
    }
  }
  return out;
}

ordered_json figures_of(const SuperstepFigures& figures) {
  return {{"compute", figures.compute.count()},
          {"communicate", figures.communicate.count()},
          {"h", figures.h},
          {"copies", figures.forecast.most_copies},
          {"packets", packets(figures.traffic)},
          {"bytes", bytes(figures.traffic)},
          {"rounds", figures.traffic.rounds}};
}

const char* recovery_name(transport::Recovery recovery) {
  switch (recovery) {
    case transport::Recovery::rounds:
      return "rounds";
    case transport::Recovery::whole_round:
      return "whole-round";
    case transport::Recovery::receiver:
      break;
  }
  return "receiver";
}

ordered_json options_of(const JobReport& report) {
  const auto& exchange = report.options().exchange;
  const auto& wan = report.options().wan;
  return {{"recovery", recovery_name(exchange.recovery)},
          {"rate", exchange.rate.value},
          {"find_rate", exchange.find_rate},
          {"datagram", exchange.datagram_bytes},
          {"max_message", exchange.max_message_bytes},
          {"peer_timeout", seconds(exchange.peer_timeout)},
          {"wan", wan ? ordered_json(transport::to_string(*wan)) : ordered_json(nullptr)},
          {"seed", report.options().wan_seed}};
}

const char* policy_of(const RunOptions& options) {
  return options.backend != job::Backend::udp ? "none" : name_of(options.exchange.redundancy);
}

ordered_json copies_of(const JobReport& report) {
  return {
      {"policy", policy_of(report.options())}, {"mean", mean_copies(report)}, {"max", report.most_copies()}};
}

ordered_json interval_json(const Interval& interval) {
  return {interval.from.count(), interval.to.count()};
}

ordered_json prediction_of(const std::optional<Prediction>& prediction) {
  if (!prediction) return nullptr;
  return {{"seconds", prediction->predicted.count()},
          {"interval", interval_json(prediction->interval)},
          {"planned", prediction->planned.count()},
          {"measured", prediction->measured.count()},
          {"error", prediction->error()}};
}

ordered_json models_json(const JobReport& report) {
  ordered_json out = ordered_json::array();
  for (const estimate::ModelEstimate& each : report.models())
    out.push_back(json_of(each));
  return out;
}

ordered_json standstill_of(const std::optional<JobReport::Standstill>& standstill) {
  if (!standstill) return nullptr;
  return {{"ranks", standstill->ranks}, {"seconds", standstill->waited.count()}};
}

ordered_json seconds_of(const job::RankReport& one) {
  return {{"total", one.total.count()},
          {"compute", one.totals.compute.count()},
          {"communicate", one.totals.communicate.count()},
          {"start", one.start.count()},
          {"end", one.end.count()}};
}

/// What only a trace has, of those figures.
ordered_json traced_of(const SuperstepFigures& figures, const trace::Figures* traced) {
  if (traced == nullptr)
    return {{"cpu", nullptr},
            {"network_cpu", nullptr},
            {"waiting", nullptr},
            {"to", nullptr},
            {"network", nullptr}};
  ordered_json to = ordered_json::array();
  for (const trace::BytesTo& each : traced->to)
    to.push_back({each.rank, each.bytes});
  // The times of a rank's end are differences of sums, with their rounding.
  const auto rest = [](Seconds all, transport::Duration part) {
    return std::max(0.0, Seconds(all - part).count());
  };
  return {{"cpu", rest(figures.compute, traced->without_processor)},
          {"network_cpu", seconds(traced->network_thread)},
          {"waiting", rest(figures.communicate, traced->after_messages)},
          {"to", std::move(to)},
          {"network",
           {{"loss", traced->network.loss},
            {"rtt", seconds(traced->network.round_trip)},
            {"rate", traced->network.rate.value},
            {"bandwidth", traced->network.bandwidth.value}}}};
}

ordered_json ranks_of(const JobReport& report) {
  ordered_json out = ordered_json::array();
  for (Rank rank = 0; rank < report.size(); ++rank) {
    if (!report.rank(rank)) continue;
    const job::RankReport& one = *report.rank(rank);
    out.push_back({{"rank", rank},
                   {"host", report.placement().host_of(rank)},
                   {"supersteps", one.supersteps},
                   {"seconds", seconds_of(one)},
                   {"packets", packets(one.totals.traffic)},
                   {"bytes", bytes(one.totals.traffic)},
                   {"network", network(one.network)},
                   {"verified", verdict(one.verified)}});
  }
  return out;
}

ordered_json steps_of(const JobReport& report) {
  ordered_json out = ordered_json::array();
  const std::size_t count = report.records().steps().size();
  std::vector<std::optional<Prediction>> predictions = report.records().times().predictions(count);
  predictions.resize(count);
  for (std::size_t place = 0; place < count; ++place) {
    const job::SuperstepRange range = report.records().range(place);
    ordered_json step = {{"superstep", range.first}, {"supersteps", range.count}};
    step.update(figures_of(report.records().steps()[place]));
    step["prediction"] = prediction_of(predictions[place]);
    out.push_back(std::move(step));
  }
  return out;
}

/// One of many: written at once.
std::string event_text(const transport::PathEvent& event) {
  using What = transport::PathEvent::What;
  const double at = Seconds(event.at.time_since_epoch()).count();
  std::string out = fmt::format(
      "[\"{}\",{},{}", trace_file::packet_whats.at(static_cast<std::size_t>(event.what)), at, event.peer);
  const auto add = std::back_inserter(out);
  if (event.what == What::measured) {
    fmt::format_to(add, ",{},{},{},{}", seconds(event.round_trip), seconds(event.least), event.rate.value,
                   event.loss);
  } else {
    fmt::format_to(add, ",{}", event.number);
  }
  if (event.what == What::sent || event.what == What::received)
    fmt::format_to(add, ",\"{}\",{}",
                   trace_file::packet_kinds.at(event.kind < trace_file::packet_kinds.size() ? event.kind : 0),
                   event.bytes);
  if (event.what == What::received && event.acknowledged > 0)
    fmt::format_to(add, ",{}", event.acknowledged - 1);
  return out + ']';
}

std::string dump(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string report_as_json(const JobReport& report) {
  const auto traffic = report.traffic();
  const ordered_json json = {
      {"version", command_line::answer_version},
      {"program", report.options().program},
      {"arguments", report.options().arguments},
      {"ranks", report.size()},
      {"backend", job::name_of(report.options().backend)},
      {"shared_memory", report.shared_memory()},
      {"finished", !report.reason()},
      {"reason", report.reason() ? ordered_json(*report.reason()) : ordered_json(nullptr)},
      {"reported", report.reported()},
      {"waited_for", standstill_of(report.standstill())},
      {"on_failure", on_failure_of(report)},
      {"lost", lost_as_json(report)},
      {"changes", changes_as_json(report)},
      {"verified", verdict(report.verified())},
      {"supersteps", report.supersteps()},
      {"seconds",
       {{"total", report.total().count()},
        {"compute", report.compute().count()},
        {"communicate", report.communicate().count()},
        {"start", report.slowest(&job::RankReport::start).count()},
        {"end", report.slowest(&job::RankReport::end).count()}}},
      {"copies", copies_of(report)},
      {"packets", packets(traffic)},
      {"bytes", bytes(traffic)},
      {"goodput", goodput(report).value},
      {"rounds", traffic.rounds},
      {"network", network(report.network())},
      {"prediction", prediction_of(report.records().prediction())},
      {"models", models_json(report)},
      {"notes", notes_of(report)},
      {"options", options_of(report)},
      {"per_rank", ranks_of(report)},
      {"steps", steps_of(report)}};
  return dump(json, 1) + "\n";
}

std::string trace_line(Rank rank, job::SuperstepRange range, const SuperstepFigures& figures,
                       const trace::Figures* traced) {
  ordered_json line = {{"version", trace_file::trace_version},
                       {"superstep", range.first},
                       {"supersteps", range.count},
                       {"rank", rank}};
  line.update(figures_of(figures));
  const double predicted = seconds(figures.forecast.duration);
  line["predicted"] = predicted > 0 ? ordered_json(predicted) : ordered_json(nullptr);
  line["interval"] = predicted > 0 ? interval_json(interval_of(figures.forecast)) : ordered_json(nullptr);
  line.update(traced_of(figures, traced));
  return dump(line, -1);
}

std::string trace_packets_line(Rank rank, const job::Packets& packets) {
  std::string events;
  for (const transport::PathEvent& event : packets.events) {
    if (!events.empty()) events += ',';
    events += event_text(event);
  }
  return fmt::format(R"({{"version":{},"rank":{},"dropped":{},"events":[{}]}})", trace_file::trace_version,
                     rank, packets.dropped, events);
}

std::string trace_end_line(Rank rank, const SuperstepFigures& figures, const JobReport& report) {
  const auto& told = report.rank(rank);
  ordered_json line = {
      {"version", trace_file::trace_version}, {"superstep", nullptr}, {"supersteps", 0}, {"rank", rank}};
  line.update(figures_of(figures));
  line.update({{"predicted", nullptr}, {"interval", nullptr}});
  line.update(traced_of(figures, told && told->traced_end ? &*told->traced_end : nullptr));
  line["network_cpu"] =
      told && told->network_thread ? ordered_json(seconds(*told->network_thread)) : ordered_json(nullptr);
  line["from"] = ordered_json::array();
  for (const transport::PathCounts& path : told ? told->paths : std::vector<transport::PathCounts>{})
    line["from"].push_back({path.peer, path.datagrams, path.lost});
  line["told"] = told.has_value();
  line["seconds"] = told ? seconds_of(*told) : ordered_json(nullptr);
  line["job"] = {{"program", report.options().program},
                 {"arguments", report.options().arguments},
                 {"ranks", report.size()},
                 {"host", report.placement().host_of(rank)},
                 {"backend", job::name_of(report.options().backend)},
                 {"finished", !report.reason()},
                 {"reason", report.reason() ? ordered_json(*report.reason()) : ordered_json(nullptr)}};
  return dump(line, -1);
}

}  // namespace lbsp::launch
