#include "tools/report/supersteps.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "model/superstep/calibrated_forecast.hpp"
#include "transport/quantity.hpp"
#include "transport/units.hpp"

namespace lbsp::report {
namespace {

using trace_file::Step;
using trace_file::TimeLines;
using trace_file::Trace;

/// What decides: more than this part of the superstep.
constexpr double most_of = 0.5;
constexpr double clearly_more = 1.5;

/// The first rank that has told of supersteps.
std::size_t first_told(const Trace& trace) {
  const auto found = std::ranges::find_if(trace.steps, [](const auto& steps) { return !steps.empty(); });
  return static_cast<std::size_t>(found - trace.steps.begin());
}

/// The first of those of which the value is largest.
template <class Value>
std::size_t largest_rank(const Trace& trace, Value value) {
  std::size_t best = first_told(trace);
  for (std::size_t rank = best + 1; rank < trace.steps.size(); ++rank)
    if (!trace.steps[rank].empty() && value(rank) > value(best)) best = rank;
  return best;
}

/// What a rank had to send, at its rate; none: nothing, or its rate is not known.
std::optional<double> time_to_send(const Step& step) {
  if (!(step.bytes() > 0 && step.network.rate > 0)) return std::nullopt;
  return step.bytes() / step.network.rate;
}

std::string bytes_text(double bytes) {
  return transport::format_size(static_cast<std::uint64_t>(std::min(bytes, 1e18)), 3);
}

/// What the rank that sent most did send, in each superstep of the record.
double most_sent(const Trace& trace, std::size_t k) {
  double most = 0;
  for (const auto& steps : trace.steps)
    if (!steps.empty()) most = std::max(most, steps[k].bytes() / static_cast<double>(steps[k].supersteps));
  return most;
}

/// How much the rank that sends most sends in a run's supersteps.
class UsuallySent {
 public:
  explicit UsuallySent(const Trace& trace) {
    for (std::size_t k = 0; k < trace.steps[first_told(trace)].size(); ++k)
      sent_.push_back(most_sent(trace, k));
    sorted_ = sent_;
    std::ranges::sort(sorted_);
  }

  /// Whether it sent clearly more in this one than in the middle one of the others, if there are any.
  bool is_exceeded_in(std::size_t k) const {
    if (sent_.size() == 1) return true;
    // The others are all but one of its value.
    const auto own = std::ranges::lower_bound(sorted_, sent_[k]) - sorted_.begin();
    const std::size_t middle = (sent_.size() - 1) / 2;
    return sent_[k] > clearly_more * sorted_[static_cast<std::size_t>(own) <= middle ? middle + 1 : middle];
  }

 private:
  std::vector<double> sent_;  ///< by superstep
  std::vector<double> sorted_;
};

/// A run, and what its supersteps are compared with.
struct Run {
  const Trace& trace;
  const TimeLines& lines;
  UsuallySent usually{trace};
};

/// The rank whose messages took longest to send, for these come last: where ranks have unlike rates this may be
/// one that sent little. Empty if nothing was sent, or if that tells nothing: no more than usual, in a small part of
/// the `seconds`.
std::string sender_text(const Run& run, std::size_t k, double seconds) {
  const Trace& trace = run.trace;
  const auto step = [&](std::size_t rank) -> const Step& { return trace.steps[rank][k]; };
  const std::size_t most = largest_rank(trace, [&](std::size_t rank) { return step(rank).bytes(); });
  if (!(step(most).bytes() > 0)) return {};
  const std::size_t slowest =
      largest_rank(trace, [&](std::size_t rank) { return time_to_send(step(rank)).value_or(0); });
  const auto took = time_to_send(step(slowest));
  const auto took_most = time_to_send(step(most));
  if (!run.usually.is_exceeded_in(k) && !(took.value_or(0) > most_of * seconds)) return {};
  if (!took || !took_most || !(*took > clearly_more * *took_most))
    return fmt::format("; rank {} sent most, {}", most, bytes_text(step(most).bytes()));
  return fmt::format("; rank {} was slowest to send, {} at {}", slowest, bytes_text(step(slowest).bytes()),
                     transport::format_rate({step(slowest).network.rate}, 3));
}

/// Who waited longest, and for whom, as far as a trace tells: those that had to send something again, and the one that
/// was slowest to send, or sent most. What a rank waited before the superstep began, as it was done with the one before
/// sooner than others, is no part of `seconds`.
std::string reason_in_network(const Run& run, std::size_t k, double seconds) {
  const Trace& trace = run.trace;
  const auto step = [&](std::size_t rank) -> const Step& { return trace.steps[rank][k]; };
  if (trace.ranks() == 1) return fmt::format("sync() took {}", time_text(step(0).communicate));
  const std::size_t last =
      largest_rank(trace, [&](std::size_t rank) { return run.lines.steps[rank][k].ended; });
  std::string out =
      fmt::format("rank {} waited {} for messages", last, time_text(std::min(step(last).waiting, seconds)));
  const std::size_t repairer = largest_rank(trace, [&](std::size_t rank) { return step(rank).resent; });
  const std::uint64_t resent = step(repairer).resent;
  if (resent > 0)
    out += fmt::format(": rank {} sent {} segment{} again", repairer, resent, resent == 1 ? "" : "s");
  std::uint64_t others = 0;
  for (std::size_t rank = 0; rank < trace.steps.size(); ++rank)
    if (rank != repairer && !trace.steps[rank].empty()) others += step(rank).resent;
  if (others > 0) out += fmt::format(", others {}", others);
  const std::string sender = sender_text(run, k, seconds);
  if (resent == 0 && sender.empty()) return out + "; the trace does not show why";
  return out + sender;
}

/// That the rank started so late that this was most of what the others waited for it in the first superstep.
std::optional<std::string> late_start(const Trace& trace, const TimeLines& lines, std::size_t rank) {
  const std::size_t first =
      largest_rank(trace, [&](std::size_t each) { return -lines.steps[each][0].began; });
  const double began = lines.steps[first][0].began;
  const double late = lines.steps[rank][0].began - began;
  if (!(late > most_of * (lines.steps[rank][0].called - began))) return std::nullopt;
  return fmt::format("all waited for rank {}, which started {} after rank {}", rank, time_text(late), first);
}

std::string reason_of(const Run& run, std::size_t k, const Superstep& superstep) {
  const auto& [trace, lines, usually] = run;
  const std::size_t last =
      largest_rank(trace, [&](std::size_t rank) { return run.lines.steps[rank][k].called; });
  const Step& slow = trace.steps[last][k];
  if (superstep.seconds - superstep.communicate > most_of * superstep.seconds) {
    if (k == 0)
      if (auto late = late_start(trace, lines, last)) return *std::move(late);
    const double without = slow.compute - slow.cpu;
    if (without > most_of * slow.compute)
      return fmt::format("rank {} was without the processor for {} of the {} that it computed", last,
                         time_text(without), time_text(slow.compute));
    return fmt::format("all waited for rank {}, which computed for {}", last, time_text(slow.compute));
  }
  return reason_in_network(run, k, superstep.seconds);
}

/// Gives the superstep its interval, and learns from it.
void calibrate(Superstep& superstep, model::superstep::CalibratedForecast& calibrated) {
  if (!superstep.planned) return;
  const model::superstep::Spread predicted{*superstep.predicted, 0, superstep.planned->from,
                                           superstep.planned->to};
  superstep.calibrated = calibrated.of(predicted);
  calibrated.learn(predicted, superstep.communicate);
}

}  // namespace

std::optional<double> Superstep::expected() const {
  if (!calibrated) return predicted;
  return std::clamp(calibrated->mean, calibrated->from, calibrated->to);
}

std::string time_text(double seconds) {
  if (!(seconds < 1e8)) return fmt::format("{:.3g} s", seconds);
  return transport::format_duration(transport::Duration{static_cast<transport::Duration::rep>(seconds * 1e9)},
                                    3);
}

std::vector<Superstep> supersteps_of(const Trace& trace, const TimeLines& lines) {
  const Run run{trace, lines};
  std::vector<Superstep> out;
  model::superstep::CalibratedForecast calibrated;
  double before = 0;
  const std::size_t first = first_told(trace);
  for (std::size_t k = 0; k < lines.steps[first].size(); ++k) {
    Superstep superstep;
    superstep.first = trace.steps[first][k].first;
    superstep.supersteps = trace.steps[first][k].supersteps;
    double called = lines.steps[first][k].called;
    double ended = lines.steps[first][k].ended;
    for (std::size_t rank = first; rank < lines.steps.size(); ++rank) {
      if (lines.steps[rank].empty()) continue;
      called = std::max(called, lines.steps[rank][k].called);
      ended = std::max(ended, lines.steps[rank][k].ended);
      const Step& step = trace.steps[rank][k];
      if (!step.predicted || *step.predicted <= superstep.predicted.value_or(0)) continue;
      superstep.predicted = step.predicted;
      superstep.planned = step.interval;
    }
    superstep.seconds = std::max(0.0, ended - before);
    superstep.communicate = std::min(superstep.seconds, std::max(0.0, ended - called));
    calibrate(superstep, calibrated);
    superstep.reason = reason_of(run, k, superstep);
    before = ended;
    out.push_back(std::move(superstep));
  }
  return out;
}

}  // namespace lbsp::report
