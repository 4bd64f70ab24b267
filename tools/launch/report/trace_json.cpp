#include "tools/launch/report/trace_json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/launch/report/figures_json.hpp"
#include "tools/trace_file/packets.hpp"
#include "tools/trace_file/version.hpp"

namespace lbsp::launch::report {
namespace {

using nlohmann::ordered_json;
using transport::seconds;

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

}  // namespace

std::string trace_line(Rank rank, job::SuperstepRange range, const SuperstepFigures& figures,
                       const trace::Figures* traced) {
  ordered_json line = {{"version", trace_file::trace_version},
                       {"superstep", range.first},
                       {"supersteps", range.count},
                       {"rank", rank}};
  line.update(figures_as_json(figures));
  const double predicted = seconds(figures.forecast.duration);
  line["predicted"] = predicted > 0 ? ordered_json(predicted) : ordered_json(nullptr);
  line["interval"] = predicted > 0 ? interval_as_json(interval_of(figures.forecast)) : ordered_json(nullptr);
  line.update(traced_of(figures, traced));
  return as_text(line, -1);
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
  line.update(figures_as_json(figures));
  line.update({{"predicted", nullptr}, {"interval", nullptr}});
  line.update(traced_of(figures, told && told->traced_end ? &*told->traced_end : nullptr));
  line["network_cpu"] =
      told && told->network_thread ? ordered_json(seconds(*told->network_thread)) : ordered_json(nullptr);
  line["from"] = ordered_json::array();
  for (const transport::PathCounts& path : told ? told->paths : std::vector<transport::PathCounts>{})
    line["from"].push_back({path.peer, path.datagrams, path.lost});
  line["told"] = told.has_value();
  line["seconds"] = told ? seconds_as_json(*told) : ordered_json(nullptr);
  line["job"] = {{"program", report.options().program},
                 {"arguments", report.options().arguments},
                 {"ranks", report.size()},
                 {"host", report.placement().host_of(rank)},
                 {"backend", job::name_of(report.options().backend)},
                 {"finished", !report.reason()},
                 {"reason", report.reason() ? ordered_json(*report.reason()) : ordered_json(nullptr)}};
  return as_text(line, -1);
}

}  // namespace lbsp::launch::report
