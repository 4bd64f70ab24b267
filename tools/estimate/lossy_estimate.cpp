#include "tools/estimate/lossy_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "lbsp/plan/protocol.hpp"
#include "model/superstep/best_protection.hpp"
#include "model/superstep/rounding.hpp"
#include "model/tuning/setting.hpp"
#include "tools/estimate/host_share.hpp"
#include "tools/estimate/recorded_network.hpp"
#include "tools/estimate/recorded_program.hpp"
#include "transport/loss_prior.hpp"
#include "transport/options.hpp"
#include "transport/paths/path_estimate.hpp"

namespace lbsp::estimate {
namespace {

using model::superstep::Datagrams;
using model::superstep::Spread;

/// What lbsp tune assumes of a network that nobody has measured.
constexpr double datagram_bytes = 1400;
constexpr double interval_share = 0.9;

/// What a rank sends in a superstep.
struct Sent {
  std::vector<double> messages;  ///< the bytes of each; empty ones are not in it
  double rate = 0;
};

/// Predicts supersteps with their best protection; those that are nearly alike only once.
class Exchanges {
 public:
  const Spread& of(const model::superstep::Superstep& superstep) {
    const model::superstep::Superstep wanted = model::superstep::rounded(superstep);
    const auto known = known_.find(wanted);
    if (known != known_.end()) return known->second;
    const model::superstep::Superstep rough = model::superstep::coarse(wanted);
    auto choice = choices_.find(rough);
    if (choice == choices_.end())
      choice = choices_.emplace(rough, best_protection(rough, {}, plan::protocol())).first;
    return known_[wanted] = predict_spread(wanted, choice->second, plan::protocol(), interval_share);
  }

  /// The same of a superstep that is planned before anything of its network is known.
  static Spread of_first(const model::superstep::Superstep& superstep) {
    const model::superstep::Superstep wanted = model::superstep::rounded(superstep);
    model::superstep::Superstep assumed = wanted;
    assumed.path = {.round_trip = transport::seconds(transport::PathEstimate::initial_round_trip),
                    .loss = transport::loss_prior.loss};
    return predict_spread(wanted, best_protection(assumed, {}, plan::protocol()), plan::protocol(),
                          interval_share);
  }

 private:
  std::map<model::superstep::Superstep, Spread> known_;
  std::map<model::superstep::Superstep, std::vector<model::superstep::Protection>> choices_;
};

/// Adds up times that vary independently.
class Sum {
 public:
  void compute(double seconds) { computing_ += seconds; }
  void exchange(const Spread& each, double count) {
    communicating_ += count * each.mean;
    variance_ += count * each.deviation * each.deviation;
  }
  void wait(double seconds) { communicating_ += seconds; }
  /// What is not known of the whole run, as a standard deviation.
  void doubt(double seconds) { variance_ += seconds * seconds; }
  /// What the hosts add to so many exchanges.
  void add(const HostShare& hosts, double count) {
    communicating_ = std::max(0., communicating_ + count * hosts.mean);
    variance_ += count * hosts.variance + count * count * hosts.variance_of_mean;
  }

  double seconds() const { return computing_ + communicating_; }
  /// No run takes less than `least`.
  LossyEstimate estimate(double least) const {
    return {
        seconds(), computing_,
        nine_of_ten(seconds(), std::sqrt(variance_), model::superstep::likely_error * communicating_, least)};
  }

 private:
  double computing_ = 0;
  double communicating_ = 0;
  double variance_ = 0;
};

/// What the rank sends that takes longest.
Sent longest_sent(const trace_file::Trace& trace, std::size_t step, const RecordedNetwork& network) {
  const bool one_host = trace.on_one_host();
  Sent longest;
  double most_seconds = 0;
  for (std::size_t rank = 0; rank < trace.steps.size(); ++rank) {
    std::vector<double> sent;
    for (const trace_file::BytesTo& to : trace.steps[rank][step].to)
      if (one_host || trace.ends[rank].host != trace.ends[static_cast<std::size_t>(to.rank)].host)
        sent.push_back(to.bytes);
    const double seconds = std::reduce(sent.begin(), sent.end()) / network.rates[rank];
    if (rank > 0 && seconds < most_seconds) continue;
    most_seconds = seconds;
    longest = {std::move(sent), network.rates[rank]};
  }
  return longest;
}

model::superstep::Superstep superstep_of(const Sent& sent, double ranks, double repeated,
                                         const RecordedNetwork& network, double datagram = datagram_bytes) {
  const model::superstep::Framing& framing = plan::protocol().framing;
  const Datagrams datagrams{datagram, framing.datagram, sent.rate};
  model::superstep::Superstep out{ranks, network.path, {}};
  for (const double bytes : sent.messages)
    out.messages.push_back(messages_of(1, bytes / repeated, datagrams));
  const double silent = ranks - 1 - static_cast<double>(sent.messages.size());
  if (silent > 0) out.messages.push_back(messages_of(silent, framing.message, datagrams));
  return out;
}

model::superstep::Superstep empty_superstep(double ranks, const RecordedNetwork& network,
                                            double datagram = datagram_bytes) {
  return superstep_of({{}, network.least_rate()}, ranks, 1, network, datagram);
}

void end_job(Sum& sum, Exchanges& exchanges, double ranks, const RecordedNetwork& network) {
  sum.exchange(exchanges.of(empty_superstep(ranks, network)), 1);
  sum.wait(plan::protocol().farewell_round_trips * network.path.round_trip);
}

/// Whether the run's first superstep was planned without knowing the network, as others were not: it then has the
/// shortest datagrams, too.
bool began_unknowing(const trace_file::Trace& trace) {
  const auto is_planned = [](const trace_file::Step& step) { return step.predicted.has_value(); };
  return trace.steps.front().front().supersteps == 1 &&
         std::ranges::none_of(trace.steps, [&](const auto& steps) { return is_planned(steps.front()); }) &&
         std::ranges::any_of(trace.steps,
                             [&](const auto& steps) { return std::ranges::any_of(steps, is_planned); });
}

/// Those of a program by its formulas, and what the hosts of the trace add to each.
void add_supersteps(Sum& sum, const trace_file::Trace& trace, const model::tuning::Program& program,
                    const RecordedNetwork& network) {
  model::tuning::PacketPath path{
      .packet_bytes = datagram_bytes, .bandwidth = network.least_rate(), .path = network.path};
  Exchanges exchanges;
  double long_ones = program.supersteps;
  double short_ones = program.short_supersteps - 1;  // the last one ends the job
  const double supersteps = long_ones + short_ones;
  if (began_unknowing(trace)) {
    path.packet_bytes = transport::base_datagram_bytes;
    const model::superstep::Superstep empty = empty_superstep(program.nodes, network, path.packet_bytes);
    sum.exchange(
        Exchanges::of_first(program.begins_short ? empty : superstep_of(program, path, plan::protocol())), 1);
    path.packet_bytes = datagram_bytes;
    --(program.begins_short ? short_ones : long_ones);
  }
  sum.exchange(exchanges.of(superstep_of(program, path, plan::protocol())), long_ones);
  sum.exchange(exchanges.of(empty_superstep(program.nodes, network)), short_ones);
  sum.add(host_share(trace), supersteps);
  end_job(sum, exchanges, program.nodes, network);
}

double slowest(const trace_file::Trace& trace, std::size_t step) {
  double most = 0;
  for (const auto& steps : trace.steps)
    most = std::max(most, steps[step].compute);
  return most;
}

double slowest_end(const trace_file::Trace& trace) {
  double most = 0;
  for (const trace_file::End& end : trace.ends)
    most = std::max(most, end.compute);
  return most;
}

/// For how long the slowest ranks were without a processor while they computed: as long as that, another run may
/// compute less or more.
double without_processor(const trace_file::Trace& trace) {
  double out = 0;
  const auto add = [&out](double compute, double cpu) { out += std::max(0., compute - cpu); };
  for (std::size_t step = 0; step < trace.steps.front().size(); ++step) {
    const auto* slowest = &trace.steps.front()[step];
    for (const auto& steps : trace.steps)
      if (steps[step].compute > slowest->compute) slowest = &steps[step];
    add(slowest->compute, slowest->cpu);
  }
  const auto end = std::ranges::max_element(trace.ends, {}, &trace_file::End::compute);
  add(end->compute, end->cpu);
  return out;
}

/// The recorded supersteps on the network of the trace, changed, of which there is one.
Sum recorded_supersteps(const trace_file::Trace& trace, const Changes& changes,
                        const std::optional<RecordedNetwork>& network) {
  const auto ranks = static_cast<double>(trace.ranks());
  Sum sum;
  Exchanges exchanges;
  for (std::size_t step = 0; step < trace.steps.front().size(); ++step) {
    sum.compute(slowest(trace, step) / changes.flops);
    if (trace.ranks() == 1) continue;
    if (step == 0 && began_unknowing(trace)) {
      const auto first =
          superstep_of(longest_sent(trace, 0, *network), ranks, 1, *network, transport::base_datagram_bytes);
      sum.exchange(Exchanges::of_first(first), 1);
      continue;
    }
    const auto count = static_cast<double>(trace.steps.front()[step].supersteps);
    sum.exchange(exchanges.of(superstep_of(longest_sent(trace, step, *network), ranks, count, *network)),
                 count);
  }
  sum.add(host_share(trace), static_cast<double>(trace.supersteps()));
  sum.compute(slowest_end(trace) / changes.flops);
  if (trace.ranks() > 1) end_job(sum, exchanges, ranks, *network);
  return sum;
}

/// What the same estimate misses of the recorded run itself; nothing of one that was cut short, or whose network was
/// not measured.
double missed(const trace_file::Trace& trace) {
  const auto network = recorded_network(trace, {});
  if (!trace.finished || (!network && trace.ranks() > 1)) return 0;
  return std::abs(trace.measured() - recorded_supersteps(trace, {}, network).seconds());
}

}  // namespace

std::optional<LossyEstimate> lossy_estimate(const trace_file::Trace& trace, const Changes& changes) {
  require_told(trace);
  const auto network = recorded_network(trace, changes);
  if (!network && trace.ranks() > 1) return std::nullopt;
  Sum sum = recorded_supersteps(trace, changes, network);
  sum.doubt(missed(trace));
  sum.doubt(without_processor(trace) / changes.flops);
  return sum.estimate(least_seconds(trace, changes));
}

std::optional<LossyEstimate> lossy_estimate_on(double ranks, const trace_file::Trace& trace,
                                               const Changes& changes) {
  require_told(trace);
  const RecordedProgram recorded(trace);
  const auto network = recorded_network(trace, changes);
  if (!network && ranks > 1) return std::nullopt;
  double computed = slowest_end(trace);
  for (std::size_t step = 0; step < trace.steps.front().size(); ++step)
    computed += slowest(trace, step);
  const model::tuning::Program program = recorded.on(ranks, computed / changes.flops);
  Sum sum;
  sum.compute(program.parallel_seconds);
  if (ranks > 1) add_supersteps(sum, trace, program, *network);
  // Nobody knows whether what the hosts did grows with the ranks: on the same hosts it does.
  const double more = std::max(1., ranks / static_cast<double>(trace.ranks()));
  sum.doubt(missed(trace) * more);
  sum.doubt(without_processor(trace) / changes.flops);
  const double supersteps = program.supersteps + program.short_supersteps;
  sum.doubt(supersteps * host_share(trace).mean * (more - 1));
  return sum.estimate(ranks > 1 ? least_on_network(trace, changes, supersteps) : 0);
}

}  // namespace lbsp::estimate
