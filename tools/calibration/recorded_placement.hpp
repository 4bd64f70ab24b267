#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/queueing/calibration.hpp"
#include "tools/trace_file/trace.hpp"

namespace lbsp::calibration {

/// A run as the closed network of queues sees it: a cycle is a superstep.
struct RecordedPlacement {
  std::vector<std::string> hosts;  ///< by rank
  double seconds = 0;              ///< of the whole run
  double supersteps = 0;           ///< s(n)
  /// m(n): what a rank sends in a superstep in the mean, to itself as much as to each other. The model lets a part
  /// n_i/n of all messages stay on the host, those to the sender itself included, of which lbsp sends none.
  double message_bytes = 0;
  double compute_share = 1;  ///< the part of its time that a rank computes, in the mean
  double round_trip = 0;     ///< means of the ranks that have measured it; 0: none has
  double rate = 0;           ///< at which a rank sends, bytes per second

  int ranks() const { return static_cast<int>(hosts.size()); }
};

RecordedPlacement recorded_placement(const trace_file::Trace& trace);

/// Every host of the runs once: those of shorter names first, and h9 before h10.
std::vector<std::string> hosts_in(std::span<const RecordedPlacement> runs);

/// What the runs tell of their program.
struct QueueingCalibration {
  model::queueing::Workload workload;
  model::queueing::Calibration found;
  std::vector<model::queueing::MeasuredRun> runs;
  std::vector<double> errors;  ///< by run: predicted / measured - 1
  /// Nine of ten runs are between 1 - this and 1 + this times what the model says. None if the constants were fitted to
  /// two runs, and of queues, which other placements than evenly spread ones miss by more than their errors tell.
  std::optional<double> nine_of_ten_part;
};

/// Fits the laws of messages and supersteps to the runs of several ranks, takes the share of computing from those of
/// several ranks on one host (1 if there are none), what a byte takes and the delay from the network that was measured,
/// and the two constants for which all times come nearest. `like` has the hosts_in() the runs, in their order. Throws
/// std::invalid_argument for runs that do not tell all that, and another number of hosts.
QueueingCalibration calibrate(std::span<const RecordedPlacement> runs, const model::queueing::Placement& like,
                              model::queueing::Reading reading);

}  // namespace lbsp::calibration
