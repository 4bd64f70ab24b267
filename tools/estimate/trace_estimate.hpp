#pragma once

#include <optional>
#include <vector>

#include "model/critical_path/supersteps.hpp"
#include "tools/trace_file/trace.hpp"

namespace lbsp::estimate {

/// A value of its own, or the recorded one times a factor.
struct Change {
  double value = 1;
  bool is_factor = true;

  double of(double recorded) const { return is_factor ? recorded * value : value; }
  friend bool operator==(const Change&, const Change&) = default;
};

/// What is to be other than recorded.
struct Changes {
  Change round_trip;
  Change rate;  ///< at which a rank sends; messages arrive faster or slower by the same factor
  Change loss;
  double flops = 1;  ///< a factor: a trace does not tell how fast its hosts were

  friend bool operator==(const Changes&, const Changes&) = default;
};

/// Throws UsageError for what no run takes.
void require_possible(double seconds);

/// Throws UsageError for a trace in which a rank has told nothing.
void require_told(const trace_file::Trace& trace);

/// What a message costs on the recorded network, changed: half of the round trip, the mean of the ranks that have
/// measured it, and its bytes at the best rate at which a message has arrived. What was not measured, as between ranks
/// of one host, takes no time.
model::critical_path::MessageCost message_cost(const trace_file::Trace& trace, const Changes& changes);

/// The supersteps of the trace, and the end of the program as one more. Throws UsageError for a trace in which a rank
/// has told nothing.
std::vector<model::critical_path::Superstep> supersteps_of(const trace_file::Trace& trace,
                                                           const Changes& changes);

/// No run is shorter: in each superstep the slowest rank computes for its processor time, and then a message takes half
/// of a round trip.
double least_seconds(const trace_file::Trace& trace, const Changes& changes);
/// The part of that which `supersteps` take on the network.
double least_on_network(const trace_file::Trace& trace, const Changes& changes, double supersteps);

using trace_file::Interval;

/// Nine of ten values of a normal distribution, and `error` more on either side. None is below `least`, which is what
/// can be, unless the mean is.
Interval nine_of_ten(double mean, double deviation, double error = 0, double least = 0);
/// The interval in which nine of ten runs' estimates fall, if their supersteps differ from run to run as those of this
/// run differ from each other, and none is below `least`. None where fewer than three records of supersteps tell how
/// they differ.
std::optional<Interval> interval_of(const model::critical_path::Estimate& estimate, double least);

/// The longest path through a run.
struct Longest {
  model::critical_path::Estimate path;
  std::optional<Interval> interval;
};
/// Throws UsageError for a trace in which a rank has told nothing.
Longest longest_path(const trace_file::Trace& trace, const Changes& changes);

}  // namespace lbsp::estimate
