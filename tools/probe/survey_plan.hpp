#pragma once

#include <vector>

#include "tools/launch/places/placement.hpp"
#include "tools/probe/options.hpp"
#include "tools/probe/pair_queue.hpp"
#include "tools/probe/pair_schedule.hpp"
#include "tools/profile/profile.hpp"

namespace lbsp::probe {

/// What a survey is to do.
struct SurveyPlan {
  launch::request::RunOptions run;  ///< how hosts are reached
  launch::places::Placement placement;
  profile::Profile begun;         ///< all hosts, and what an earlier survey has measured
  std::vector<Pair> pairs;        ///< to be measured
  std::vector<HostPlace> places;  ///< of all hosts, as far as their addresses tell
};

/// The hosts of the file, or this machine and the one other; all pairs, or those that are asked for or
/// missing. Throws UsageError.
SurveyPlan plan_survey(const ProbeOptions& options);

}  // namespace lbsp::probe
