#include "tools/trace_command/qlog.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "tools/command_line/atomic_file.hpp"
#include "tools/trace_file/packet_clocks.hpp"
#include "transport/error.hpp"

namespace lbsp::trace_command {
namespace {

using nlohmann::ordered_json;
using trace_file::PacketEvent;
using trace_file::PacketWhat;
using trace_file::Trace;

constexpr double milliseconds = 1e3;  // qlog's unit

/// A schema of one's own has a URI of one's own, with the namespace of its events at the end.
constexpr const char* transport_schema = "urn:lbsp:qlog:events:transport";
constexpr const char* recovery_schema = "urn:lbsp:qlog:events:recovery";

std::string dump(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json datagram_of(const PacketEvent& event) {
  const char* const kind = trace_file::packet_kinds.at(event.kind);
  ordered_json out = {{"header", {{"packet_type", "1RTT"}, {"packet_number", event.number}}},
                      {"raw", {{"length", event.bytes}}},
                      {"lbsp_kind", kind}};
  ordered_json frames = ordered_json::array({{{"frame_type", kind}}});
  if (event.acknowledges)
    frames.push_back({{"frame_type", "ack"}, {"acked_ranges", {{*event.acknowledges, *event.acknowledges}}}});
  out["frames"] = std::move(frames);
  return out;
}

ordered_json measures_of(const PacketEvent& event) {
  ordered_json out = {{"smoothed_rtt", event.round_trip * milliseconds},
                      {"min_rtt", event.least * milliseconds}};
  if (event.rate > 0) out["pacing_rate"] = static_cast<std::uint64_t>(std::lround(8 * event.rate));
  out["lbsp_loss"] = event.loss;
  return out;
}

ordered_json event_of(const PacketEvent& event, double time) {
  // The first event's time is 0 but for the rounding of the sums behind it.
  ordered_json out = {{"time", std::max(0.0, time * milliseconds)}};
  switch (event.what) {
    case PacketWhat::sent:
      out["name"] = "transport:packet_sent";
      out["data"] = datagram_of(event);
      break;
    case PacketWhat::received:
      out["name"] = "transport:packet_received";
      out["data"] = datagram_of(event);
      break;
    case PacketWhat::lost:
      out["name"] = "recovery:packet_lost";
      out["data"] = {{"header", {{"packet_type", "1RTT"}, {"packet_number", event.number}}}};
      break;
    case PacketWhat::measured:
      out["name"] = "recovery:metrics_updated";
      out["data"] = measures_of(event);
      break;
  }
  return out;
}

/// A rank's events with one other. A datagram is lost once, however often a report says so.
std::vector<const PacketEvent*> events_between(const Trace& trace, Rank of, Rank with) {
  std::vector<const PacketEvent*> out;
  std::unordered_set<std::uint64_t> lost;
  for (const PacketEvent& event : trace.packets[static_cast<std::size_t>(of)].events) {
    if (event.peer != with) continue;
    if (event.what == PacketWhat::lost && !lost.insert(event.number).second) continue;
    out.push_back(&event);
  }
  std::ranges::stable_sort(out, {}, &PacketEvent::at);
  return out;
}

/// What one of a pair has seen.
class VantagePoint {
 public:
  VantagePoint(const Trace& trace, Rank of, Rank with)
      : trace_(trace), of_(of), with_(with), events_(events_between(trace, of, with)) {}

  const std::vector<const PacketEvent*>& events() const { return events_; }
  double first_time() const { return events_.empty() ? 0 : events_.front()->at; }

  /// With its clock moved by `shift`. The events stand in a text, which is a tenth of what they take as JSON.
  std::string text(double shift, const std::string& clocks) const {
    const std::string host = trace_.ends[static_cast<std::size_t>(of_)].host;
    const std::uint64_t dropped = trace_.packets[static_cast<std::size_t>(of_)].dropped;
    const ordered_json head = {
        {"title", fmt::format("rank {} on {}, with rank {}", of_, host, with_)},
        {"description", fmt::format("{}; {} older events of rank {} were not kept", clocks, dropped, of_)},
        {"common_fields",
         {{"time_format", "relative_to_epoch"},
          {"reference_time", {{"clock_type", "monotonic"}, {"epoch", "unknown"}}}}},
        {"vantage_point",
         {{"name", fmt::format("rank {}", of_)}, {"type", of_ < with_ ? "client" : "server"}}},
        {"event_schemas", {transport_schema, recovery_schema}}};
    std::string out = dump(head);
    out.back() = ',';
    out += "\"events\":[";
    for (const PacketEvent* event : events_)
      out += (event == events_.front() ? "\n" : ",\n") + dump(event_of(*event, event->at + shift));
    return out + "]}";
  }

 private:
  const Trace& trace_;
  Rank of_;
  Rank with_;
  std::vector<const PacketEvent*> events_;
};

/// One pair's file; nothing if they have no events.
std::string pair_text(const Trace& trace, Rank first, Rank second, QlogSummary& summary) {
  const VantagePoint client(trace, first, second);
  const VantagePoint server(trace, second, first);
  if (client.events().empty() && server.events().empty()) return {};
  const auto clocks = trace_file::align(trace, first, second);
  ++summary.pairs;
  summary.events += client.events().size() + server.events().size();
  summary.clock_error = std::max(summary.clock_error, clocks.error);
  const std::string aligned =
      std::isfinite(clocks.error)
          ? fmt::format("the clocks of the two are aligned within {:.3g} ms", clocks.error * milliseconds)
          : "the clocks of the two are not aligned";
  // No time is negative.
  double origin = client.events().empty() ? server.first_time() + clocks.shift : client.first_time();
  if (!server.events().empty()) origin = std::min(origin, server.first_time() + clocks.shift);
  const ordered_json head = {{"file_schema", "urn:ietf:params:qlog:file:contained"},
                             {"serialization_format", "application/qlog+json"},
                             {"qlog_version", "0.3"},
                             {"qlog_format", "JSON"},
                             {"title", fmt::format("{}: ranks {} and {}", trace.program, first, second)},
                             {"description", aligned}};
  std::string out = dump(head);
  out.back() = ',';
  out += "\"traces\":[\n";
  bool begun = false;
  for (const auto& [point, shift] : {std::pair(&client, 0.0), std::pair(&server, clocks.shift)}) {
    if (point->events().empty()) continue;
    out += (begun ? ",\n" : "") + point->text(shift - origin, aligned);
    begun = true;
  }
  return out + "]}\n";
}

void write_pairs(const std::string& path, const Trace& trace, QlogSummary& summary) {
  for (Rank first = 0; first < trace.ranks(); ++first) {
    for (Rank second = first + 1; second < trace.ranks(); ++second) {
      const std::string text = pair_text(trace, first, second, summary);
      if (text.empty()) continue;
      command_line::AtomicFile file(fmt::format("{}/{}-{}.qlog", path, first, second));
      file.write(text);
      file.commit();
    }
  }
}

}  // namespace

QlogSummary write_qlog(const std::string& path, const Trace& trace) {
  if (std::ranges::all_of(trace.packets, [](const auto& packets) { return packets.events.empty(); }))
    throw UsageError(
        "the trace has no single datagrams: record the run with lbsp run --trace FILE --trace-packets 100000");
  if (std::filesystem::exists(path))
    throw UsageError(fmt::format("{} is there already: give the name of a folder that is not", path));
  std::error_code problem;
  if (!std::filesystem::create_directory(path, problem))
    throw SystemError(fmt::format("{} cannot be written ({}): give another place", path, problem.message()));
  QlogSummary out;
  for (const auto& packets : trace.packets)
    out.dropped += packets.dropped;
  try {
    write_pairs(path, trace, out);
  } catch (...) {
    std::filesystem::remove_all(path, problem);
    throw;
  }
  return out;
}

}  // namespace lbsp::trace_command
