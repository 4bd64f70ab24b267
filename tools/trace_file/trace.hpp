#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/trace_file/packets.hpp"
#include "transport/units.hpp"

namespace lbsp::trace_file {

/// What lbsp run --trace has written (docs/trace.md). Seconds, bytes, bytes per second and fractions; texts as
/// printable() has them.

/// No run takes as long: 31 years.
inline constexpr double most_seconds = 1e9;
inline constexpr double most_rate = 1e18;

/// What nine of ten are within.
struct Interval {
  double from = 0;
  double to = 0;
};

struct BytesTo {
  Rank rank = 0;
  double bytes = 0;
};

struct Network {
  double loss = 0;
  double round_trip = 0;
  double rate = 0;
  double bandwidth = 0;
};

/// Of the datagrams that a rank has sent, up to the newest that came: how many of them did not come.
struct LostFrom {
  Rank rank = 0;
  std::uint64_t datagrams = 0;
  std::uint64_t lost = 0;
};

/// One superstep of one rank, or several in a record.
struct Step {
  std::uint64_t first = 0;
  std::uint64_t supersteps = 1;
  double compute = 0;
  double communicate = 0;
  double cpu = 0;
  std::optional<double> network_cpu;  ///< of the rank's network thread; none in older traces
  double waiting = 0;
  std::optional<double> predicted;   ///< of the communication
  std::optional<Interval> interval;  ///< of that, by the plan alone; none in older traces
  std::uint64_t resent = 0;
  std::uint64_t redundant = 0;  ///< copies and coded segments that were sent in advance
  std::vector<BytesTo> to;
  Network network;

  /// To all ranks.
  double bytes() const;
};

/// What a rank did after its last superstep, and the whole of it.
struct End {
  bool told = false;  ///< false: the rank was lost before it could say anything, and all else is 0
  double total = 0;
  double start = 0;
  double compute = 0;
  double communicate = 0;
  double cpu = 0;
  std::optional<double>
      network_cpu;  ///< of the rank's network thread, in the whole job; none in older traces
  Network network;
  std::string host;
  std::vector<LostFrom> lost_from;  ///< what the others sent it by datagrams
};

struct Trace {
  std::string program;
  std::vector<std::string> arguments;
  std::string backend;
  bool finished = true;
  /// By rank; on all ranks of the same supersteps, but none of a rank that was lost before it could tell any.
  std::vector<std::vector<Step>> steps;
  std::vector<End> ends;         ///< by rank
  std::vector<Packets> packets;  ///< by rank; single datagrams, if the run was told to keep them
  std::string reason{};          ///< why it was not finished; empty if that is not known

  Rank ranks() const { return static_cast<Rank>(ends.size()); }
  std::uint64_t supersteps() const;
  /// From the start to the end of the slowest rank.
  double measured() const;
  /// Then there is no network between its ranks, or a pretended one.
  bool on_one_host() const;
};

/// Throws UsageError, which names the file and the line, for what is no trace, one of another version, one that is cut
/// short, one whose ranks disagree, and one with impossible numbers. Of a job that was not finished it keeps the
/// supersteps that all ranks have done that could tell.
Trace parse_trace(const std::string& text, const std::string& name);

}  // namespace lbsp::trace_file
