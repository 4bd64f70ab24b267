#include "tools/estimate/trace_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "model/superstep/completion.hpp"
#include "tools/calibration/means.hpp"
#include "transport/error.hpp"

namespace lbsp::estimate {

using model::critical_path::Estimate;
using model::critical_path::MessageCost;
using model::critical_path::Superstep;

void require_possible(double seconds) {
  if (!(seconds <= trace_file::most_seconds))
    throw UsageError(
        fmt::format("the estimate is {:.3g} s, and more than {:g} s cannot be: give another "
                    "network or other hosts, or see what the file says of them",
                    seconds, trace_file::most_seconds));
}

void require_told(const trace_file::Trace& trace) {
  for (std::size_t rank = 0; rank < trace.ends.size(); ++rank)
    if (!trace.ends[rank].told)
      throw UsageError(fmt::format(
          "rank {} was lost and has told nothing: record a run in which every rank can tell", rank));
}

namespace {

/// The mean of the ranks that have measured it, changed.
double round_trip_of(const trace_file::Trace& trace, const Changes& changes) {
  const auto measured = [](const trace_file::End& end) { return end.network.round_trip; };
  return changes.round_trip.of(calibration::mean_of_measured(trace.ends, measured));
}

/// At which a message arrived, changed as the ranks' sending is. Where nothing was long enough to measure that, the
/// sending is what is known.
double best_rate(const trace_file::Trace& trace, const Changes& changes) {
  double bandwidth = 0;
  double sending = 0;
  for (const trace_file::End& end : trace.ends) {
    bandwidth = std::max(bandwidth, end.network.bandwidth);
    sending = std::max(sending, end.network.rate);
  }
  if (!(bandwidth > 0)) bandwidth = sending;
  return sending > 0 ? bandwidth * changes.rate.of(sending) / sending : changes.rate.of(bandwidth);
}

/// A message of a rank that sends more slowly than the best has arrived costs as if it were longer by that. What goes
/// to a rank of the same host is not sent at that rate.
void lengthen_for_slow_senders(std::vector<Superstep>& supersteps, const trace_file::Trace& trace,
                               const Changes& changes) {
  const auto& ends = trace.ends;
  const bool one_host = trace.on_one_host();
  const double best = best_rate(trace, changes);
  for (Superstep& superstep : supersteps) {
    for (auto& message : superstep.messages) {
      const double rate = changes.rate.of(ends[message.from].network.rate);
      const bool is_sent = one_host || ends[message.from].host != ends[message.to].host;
      if (is_sent && rate > 0 && rate < best) message.bytes *= best / rate;
    }
  }
}

}  // namespace

MessageCost message_cost(const trace_file::Trace& trace, const Changes& changes) {
  const double rate = best_rate(trace, changes);
  return MessageCost::linear(round_trip_of(trace, changes) / 2, rate > 0 ? 1 / rate : 0);
}

std::vector<Superstep> supersteps_of(const trace_file::Trace& trace, const Changes& changes) {
  require_told(trace);
  std::vector<Superstep> out(trace.steps.front().size() + 1);
  for (std::size_t rank = 0; rank < trace.ends.size(); ++rank) {
    for (std::size_t k = 0; k < trace.steps[rank].size(); ++k) {
      const trace_file::Step& step = trace.steps[rank][k];
      out[k].cpu.push_back(step.cpu / changes.flops);
      for (const trace_file::BytesTo& to : step.to)
        out[k].messages.push_back({rank, static_cast<std::size_t>(to.rank), to.bytes});
    }
    out.back().cpu.push_back(trace.ends[rank].cpu / changes.flops);
  }
  return out;
}

double least_on_network(const trace_file::Trace& trace, const Changes& changes, double supersteps) {
  return supersteps * round_trip_of(trace, changes) / 2;
}

double least_seconds(const trace_file::Trace& trace, const Changes& changes) {
  double seconds =
      trace.ranks() > 1 ? least_on_network(trace, changes, static_cast<double>(trace.supersteps())) : 0;
  for (const Superstep& superstep : supersteps_of(trace, changes))
    seconds += std::ranges::max(superstep.cpu);
  return seconds;
}

Interval nine_of_ten(double mean, double deviation, double error, double least) {
  const double beside = model::superstep::normal_95 * deviation + error;
  return {std::max(std::min(least, mean), mean - beside), mean + beside};
}

std::optional<Interval> interval_of(const Estimate& estimate, double least) {
  constexpr std::size_t fewest = 3 + 1;  // and the end of the program
  const std::size_t count = estimate.ranks == 0 ? 0 : estimate.starts.size() / estimate.ranks - 1;
  if (count < fewest) return std::nullopt;
  double squares = 0;
  double before = 0;
  for (std::size_t k = 1; k <= count; ++k) {
    double latest = 0;
    for (std::size_t rank = 0; rank < estimate.ranks; ++rank)
      latest = std::max(latest, estimate.start(k, rank));
    const double off = latest - before - estimate.seconds / static_cast<double>(count);
    squares += off * off;
    before = latest;
  }
  const auto n = static_cast<double>(count);
  const double deviation = std::sqrt(squares / (n - 1) * n);
  return nine_of_ten(estimate.seconds, deviation, 0, least);
}

Longest longest_path(const trace_file::Trace& trace, const Changes& changes) {
  model::critical_path::Rules rules;
  rules.cost = message_cost(trace, changes);
  std::vector<Superstep> supersteps = supersteps_of(trace, changes);
  lengthen_for_slow_senders(supersteps, trace, changes);
  Longest out{model::critical_path::estimate(supersteps, rules), {}};
  out.interval = interval_of(out.path, least_seconds(trace, changes));
  return out;
}

}  // namespace lbsp::estimate
