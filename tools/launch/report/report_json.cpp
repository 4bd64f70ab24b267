#include "tools/launch/report/report_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "tools/command_line/answer_version.hpp"
#include "tools/launch/report/figures_json.hpp"
#include "tools/launch/report/job_figures.hpp"
#include "tools/launch/report/losses_json.hpp"
#include "tools/launch/request/redundancy_option.hpp"

namespace lbsp::launch::report {
namespace {

using nlohmann::ordered_json;
using transport::seconds;

ordered_json network(const transport::NetworkMeasure& measure, std::uint32_t epoch) {
  return {{"loss", measure.loss},
          {"loss_sample", measure.loss_sample},
          {"rtt", seconds(measure.round_trip_time)},
          {"bandwidth", measure.bandwidth.value},
          {"rate", measure.rate.value},
          {"shortest_datagram", measure.shortest_datagram},
          {"longest_datagram", measure.longest_datagram},
          {"epoch", epoch}};
}

/// With what only the job as a whole has.
ordered_json whole_network(const JobReport& report) {
  ordered_json out = network(network_of(report), epoch_of(report));
  const auto rates = host_rates(report);
  out["host_rates"] = rates ? ordered_json{rates->least.value, rates->most.value} : ordered_json(nullptr);
  return out;
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

const char* policy_of(const request::RunOptions& options) {
  return options.backend != job::Backend::udp ? "none" : request::name_of(options.exchange.redundancy);
}

ordered_json copies_of(const JobReport& report) {
  return {
      {"policy", policy_of(report.options())}, {"mean", mean_copies(report)}, {"max", most_copies(report)}};
}

ordered_json prediction_of(const std::optional<Prediction>& prediction) {
  if (!prediction) return nullptr;
  return {{"seconds", prediction->predicted.count()},
          {"interval", interval_as_json(prediction->interval)},
          {"planned", prediction->planned.count()},
          {"measured", prediction->measured.count()},
          {"error", prediction->error()},
          {"supersteps", prediction->supersteps}};
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

ordered_json ranks_of(const JobReport& report) {
  ordered_json out = ordered_json::array();
  for (Rank rank = 0; rank < report.size(); ++rank) {
    if (!report.rank(rank)) continue;
    const job::RankReport& one = *report.rank(rank);
    out.push_back({{"rank", rank},
                   {"host", report.placement().host_of(rank)},
                   {"supersteps", one.supersteps},
                   {"seconds", seconds_as_json(one)},
                   {"packets", packets_as_json(one.totals.traffic)},
                   {"bytes", bytes_as_json(one.totals.traffic)},
                   {"network", network(one.network, one.epoch)},
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
    step.update(figures_as_json(report.records().steps()[place]));
    step["prediction"] = prediction_of(predictions[place]);
    out.push_back(std::move(step));
  }
  return out;
}

}  // namespace

std::string report_as_json(const JobReport& report) {
  const auto traffic = traffic_of(report);
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
      {"supersteps", supersteps_of(report)},
      {"seconds",
       {{"total", total_time(report).count()},
        {"compute", compute_time(report).count()},
        {"communicate", communicate_time(report).count()},
        {"start", slowest_of(report, &job::RankReport::start).count()},
        {"end", slowest_of(report, &job::RankReport::end).count()}}},
      {"copies", copies_of(report)},
      {"packets", packets_as_json(traffic)},
      {"bytes", bytes_as_json(traffic)},
      {"goodput", goodput(report).value},
      {"rounds", traffic.rounds},
      {"network", whole_network(report)},
      {"prediction", prediction_of(report.records().prediction())},
      {"models", models_json(report)},
      {"notes", notes_of(report)},
      {"options", options_of(report)},
      {"per_rank", ranks_of(report)},
      {"steps", steps_of(report)}};
  return as_text(json, 1) + "\n";
}

}  // namespace lbsp::launch::report
