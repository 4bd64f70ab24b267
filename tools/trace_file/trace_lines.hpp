#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/profile/json_place.hpp"
#include "tools/trace_file/trace.hpp"

namespace lbsp::trace_file {

/// What single lines of a trace say. All throw UsageError if it cannot be.

/// Of numbers of supersteps and the like.
inline constexpr std::int64_t most = std::int64_t{1} << 53;
inline constexpr auto again = "record the run again with lbsp run --trace";

/// Whether a part of a time is longer than the whole, beyond rounding.
bool is_longer(double part, double whole);

/// What the line of a rank's end says of the job, which is the same for all.
struct Job {
  Rank ranks = 0;
  std::string program;
  std::vector<std::string> arguments;
  std::string backend;
  bool finished = true;
  std::string reason{};  ///< why it is not; empty if that is not known

  friend bool operator==(const Job&, const Job&) = default;
};

/// A member that must be there.
profile::JsonPlace member(const profile::JsonPlace& of, const char* key);
Rank rank_in(const profile::JsonPlace& place);
/// The line of a superstep, or of a record of several.
Step step_in(const profile::JsonPlace& line);
/// The line of a rank's end.
End end_in(const profile::JsonPlace& line);
Job job_in(const profile::JsonPlace& line);

}  // namespace lbsp::trace_file
