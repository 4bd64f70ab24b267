#include "tools/calibration/recorded_placement.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "model/mathematics/fitted_law.hpp"
#include "tools/calibration/means.hpp"
#include "tools/calibration/message_cost.hpp"

namespace lbsp::calibration {
namespace {

using model::queueing::Placement;
using model::queueing::Profiled;
using model::queueing::Workload;

/// What all ranks sent in all supersteps.
double bytes_of(const trace_file::Trace& trace) {
  double bytes = 0;
  for (const auto& steps : trace.steps)
    for (const trace_file::Step& step : steps)
      bytes += step.bytes();
  return bytes;
}

double share_of_computing(const trace_file::Trace& trace) {
  double computing = 0;
  double communicating = 0;
  const auto add = [&](const auto& part) {
    computing += part.compute;
    communicating += part.communicate;
  };
  for (const auto& steps : trace.steps)
    std::ranges::for_each(steps, add);
  std::ranges::for_each(trace.ends, add);
  return computing > 0 ? computing / (computing + communicating) : 1;
}

bool is_on_one_host(const RecordedPlacement& run) {
  return std::ranges::all_of(run.hosts, [&](const std::string& host) { return host == run.hosts.front(); });
}

Workload workload_of(std::span<const RecordedPlacement> runs) {
  std::vector<Profiled> messages;
  std::vector<Profiled> sends;
  std::vector<RecordedPlacement> local;
  for (const RecordedPlacement& run : runs) {
    if (run.ranks() < 2) continue;
    if (run.message_bytes <= 0)
      throw std::invalid_argument(
          "a run of several ranks that send nothing, or of no superstep: record another");
    messages.push_back({static_cast<double>(run.ranks()), run.message_bytes});
    sends.push_back({static_cast<double>(run.ranks()), run.supersteps});
    if (is_on_one_host(run)) local.push_back(run);
  }
  Workload out;
  out.messages = model::queueing::fit_messages(messages);
  out.sends = model::queueing::fit_sends(sends);
  if (!local.empty())
    out.compute_share = mean_of_measured(local, [](const auto& run) { return run.compute_share; });
  const double rate = mean_of_measured(runs, [](const auto& run) { return run.rate; });
  if (rate <= 0)
    throw std::invalid_argument(
        "runs on one host alone, which do not tell what the network takes: add runs on several hosts");
  const auto cost =
      message_cost(mean_of_measured(runs, [](const auto& run) { return run.round_trip; }), rate);
  out.byte_seconds = cost.seconds_per_byte();
  out.delay_seconds = cost.startup_seconds();
  return out;
}

Placement placed(const RecordedPlacement& run, const std::vector<std::string>& names, Placement like) {
  like.processes.clear();
  for (const std::string& name : names)
    like.processes.push_back(static_cast<int>(std::ranges::count(run.hosts, name)));
  like.processes.resize(like.hosts.size());
  return like;
}

}  // namespace

RecordedPlacement recorded_placement(const trace_file::Trace& trace) {
  RecordedPlacement out;
  for (const trace_file::End& end : trace.ends)
    out.hosts.push_back(end.host);
  out.seconds = trace.measured();
  out.supersteps = static_cast<double>(trace.supersteps());
  const double ranks = trace.ranks();
  if (ranks > 1 && out.supersteps > 0)
    out.message_bytes = bytes_of(trace) / out.supersteps / ranks * (ranks / (ranks - 1));
  out.compute_share = share_of_computing(trace);
  out.round_trip = mean_of_measured(trace.ends, [](const auto& end) { return end.network.round_trip; });
  out.rate = mean_of_measured(trace.ends, [](const auto& end) { return end.network.rate; });
  return out;
}

std::vector<std::string> hosts_in(std::span<const RecordedPlacement> runs) {
  std::set<std::pair<std::size_t, std::string>> names;
  for (const RecordedPlacement& run : runs)
    for (const std::string& host : run.hosts)
      names.emplace(host.size(), host);
  std::vector<std::string> out;
  out.reserve(names.size());
  for (const auto& [length, name] : names)
    out.push_back(name);
  return out;
}

QueueingCalibration calibrate(std::span<const RecordedPlacement> runs, const Placement& like,
                              model::queueing::Reading reading) {
  const std::vector<std::string> names = hosts_in(runs);
  if (names.size() > like.hosts.size())
    throw std::invalid_argument("runs on " + std::to_string(names.size()) + " hosts, and " +
                                std::to_string(like.hosts.size()) + " hosts given: give the cores of all");
  QueueingCalibration out;
  out.workload = workload_of(runs);
  for (const RecordedPlacement& run : runs)
    out.runs.push_back({placed(run, names, like), run.seconds});
  out.found = model::queueing::calibrate(out.runs, out.workload, reading);
  for (const auto& run : out.runs)
    out.errors.push_back(
        predict(run.placement, out.workload, out.found.constants, reading).seconds / run.seconds - 1);
  constexpr std::size_t constants = 2;
  if (reading == model::queueing::Reading::supersteps)
    out.nine_of_ten_part = model::mathematics::nine_of_ten_part(out.errors, constants);
  return out;
}

}  // namespace lbsp::calibration
