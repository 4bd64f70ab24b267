#include "tools/estimate/other_estimates.hpp"

#include <algorithm>
#include <cmath>

#include "tools/calibration/message_cost.hpp"
#include "tools/calibration/recorded_placement.hpp"
#include "tools/calibration/recorded_product.hpp"

namespace lbsp::estimate {
namespace {

constexpr double element_bytes = 8;
/// The paper's interface carries a message and its return; what lbsp sends has none.
constexpr double one_way = 0.5;

double processor_time(const trace_file::Trace& trace) {
  double sum = 0;
  for (const auto& steps : trace.steps)
    for (const trace_file::Step& step : steps)
      sum += step.cpu;
  for (const trace_file::End& end : trace.ends)
    sum += end.cpu;
  return sum;
}

/// Ranks of one host with a network between them, which is a pretended one, are hosts of their own.
model::queueing::Placement placement_of(const calibration::RecordedPlacement& run, bool has_network) {
  model::queueing::Placement out;
  const std::vector<std::string> names = calibration::hosts_in(std::span(&run, 1));
  if (names.size() == 1 && has_network) {
    out.hosts.assign(run.hosts.size(), {});
    out.processes.assign(run.hosts.size(), 1);
    return out;
  }
  for (const std::string& name : names) {
    const auto ranks = static_cast<int>(std::ranges::count(run.hosts, name));
    out.hosts.push_back({ranks, 1});
    out.processes.push_back(ranks);
  }
  return out;
}

/// The product by its formula; none without a rate or round trip.
std::optional<model::pmm::Prediction> by_formula(const calibration::RecordedProduct& product,
                                                 const Changes& changes, double nodes) {
  const model::pmm::MeasuredRun& run = product.run;
  const double round_trip = changes.round_trip.of(product.round_trip);
  const double rate = changes.rate.of(product.rate);
  if (nodes > 1 && (round_trip <= 0 || rate <= 0)) return std::nullopt;
  const double flops = 2 * run.order * run.order * run.order / run.nodes / run.computing;
  const auto cost = calibration::message_cost(round_trip, std::max(rate, 1.));
  const model::pmm::Rates rates{1 / (element_bytes * cost.seconds_per_byte()), flops * changes.flops, 0,
                                cost.startup_seconds()};
  return predict(calibration::broadcast, calibration::overlap, nodes, run.order, rates);
}

/// The run as a network of queues; none without a superstep, or a rate between hosts.
std::optional<double> by_queues(const trace_file::Trace& trace, const Changes& changes) {
  const calibration::RecordedPlacement run = calibration::recorded_placement(trace);
  const double rate = changes.rate.of(run.rate);
  const model::queueing::Placement placement = placement_of(run, rate > 0);
  const double computing = processor_time(trace) / changes.flops;
  if (run.supersteps < 1 || computing <= 0 || (placement.hosts.size() > 1 && rate <= 0)) return std::nullopt;
  const auto cost = calibration::message_cost(changes.round_trip.of(run.round_trip), rate);
  const model::queueing::Workload workload{.messages = {.a = run.message_bytes},
                                           .sends = {0, run.supersteps},
                                           .byte_seconds = rate > 0 ? 1 / rate : 0,
                                           .delay_seconds = changes.round_trip.of(run.round_trip) / 2};
  return predict(placement, workload, {computing, one_way}).seconds;
}

/// What the model misses of the recorded run, or of the part of it that was measured.
std::optional<double> missed(const trace_file::Trace& trace, double measured,
                             std::optional<double> as_recorded) {
  if (!trace.finished || !as_recorded) return std::nullopt;
  return std::abs(measured - *as_recorded);
}

std::optional<Interval> beside(double seconds, std::optional<double> deviation, double least) {
  if (!deviation) return std::nullopt;
  return nine_of_ten(seconds, *deviation, 0, least);
}

}  // namespace

bool has_mesh(const trace_file::Trace& trace, double ranks) {
  const auto product = calibration::recorded_product(trace);
  const double side = std::sqrt(ranks);
  return product && side == std::floor(side) && std::fmod(product->run.order, side) == 0;
}

std::optional<PmmEstimate> pmm_estimate(const trace_file::Trace& trace, const Changes& changes,
                                        std::optional<double> ranks) {
  require_told(trace);
  const auto product = calibration::recorded_product(trace);
  if (!product || product->run.computing <= 0) return std::nullopt;
  const model::pmm::MeasuredRun& run = product->run;
  const double nodes = ranks.value_or(run.nodes);
  const auto formula = by_formula(*product, changes, nodes);
  if (!formula) return std::nullopt;
  const auto as_recorded = by_formula(*product, {}, run.nodes);
  auto deviation = missed(trace, run.seconds, as_recorded ? std::optional(as_recorded->total) : std::nullopt);
  if (deviation) *deviation *= std::max(1., nodes / run.nodes);
  const double rest = trace.measured() - run.seconds;
  const double seconds = rest + formula->total;
  return PmmEstimate{seconds, beside(seconds, deviation, rest + formula->compute), run.seconds,
                     formula->total};
}

std::optional<QueueingEstimate> queueing_estimate(const trace_file::Trace& trace, const Changes& changes) {
  require_told(trace);
  const auto seconds = by_queues(trace, changes);
  if (!seconds) return std::nullopt;
  return QueueingEstimate{*seconds, beside(*seconds, missed(trace, trace.measured(), by_queues(trace, {})),
                                           least_seconds(trace, changes))};
}

}  // namespace lbsp::estimate
