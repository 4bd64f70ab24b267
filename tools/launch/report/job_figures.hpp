#pragma once

#include <cstdint>
#include <optional>

#include "lbsp/job/messages.hpp"
#include "tools/launch/report/job_report.hpp"
#include "transport/traffic.hpp"
#include "transport/units.hpp"

/// The figures of a job as a whole, from what its ranks have told.
namespace lbsp::launch::report {

std::uint64_t supersteps_of(const JobReport& report);
/// The longest that any rank had of something, such as &job::RankReport::start.
Seconds slowest_of(const JobReport& report, Seconds job::RankReport::*part);
Seconds total_time(const JobReport& report);
/// The sum over all supersteps of the slowest rank's, as the BSP model counts it; what is left of the total is
/// communication, waiting for others' messages included.
Seconds compute_time(const JobReport& report);
Seconds communicate_time(const JobReport& report);
/// Sum over the ranks.
transport::TrafficCounters traffic_of(const JobReport& report);
/// Of the world that network_of() was measured in, as each is measured anew; 0: the first.
std::uint32_t epoch_of(const JobReport& report);
/// Loss over all datagrams, round-trip time and bandwidth the mean of the ranks that measured them.
transport::NetworkMeasure network_of(const JobReport& report);
/// The most that were planned for any segment; 0 if no rank has told.
int most_copies(const JobReport& report);
/// Mean number of planned transmissions of a segment, repairs apart.
double mean_copies(const JobReport& report);
/// At which hosts would have sent on, or ranks that share none: the slowest and the fastest of those that have told.
struct HostRates {
  transport::BytesPerSecond least;
  transport::BytesPerSecond most;
};
/// None: no rank has a rate.
std::optional<HostRates> host_rates(const JobReport& report);
/// A host of which that is less than half of what was told of it.
struct SlowHost {
  Rank rank = 0;  ///< the first of its ranks that have told
  transport::BytesPerSecond rate;
  transport::BytesPerSecond told;
};
/// The slowest of those; none: there is none.
std::optional<SlowHost> slowest_below_told(const JobReport& report);
/// Payload over the time communicating, of all ranks together.
transport::BytesPerSecond goodput(const JobReport& report);

}  // namespace lbsp::launch::report
