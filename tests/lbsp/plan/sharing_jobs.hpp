#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Jobs of two ranks on one link, of which one sends to the other.
namespace lbsp::plan {

inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// What jobs got of the link.
struct Shares {
  double least;
  double most;
  double drops;
};

struct SharingJobs {
  int number = 4;
  const char* wan = "rtt=40ms";
  double told_megabits = 0;
  transport::Duration settle = std::chrono::seconds{2};  ///< after the last one has come
  std::size_t bytes = std::size_t{8} << 20;              ///< of a message
};

/// Jobs begin half a second apart; over five seconds, once they have settled. 8 MiB take more than a second.
inline Shares shares(const SharingJobs& sharing, const std::shared_ptr<transport::Bottleneck>& link,
                     std::uint64_t seed) {
  using namespace std::chrono_literals;
  using transport::start;
  const auto apart = 500ms + seed * 7ms;  // so they begin at other times within a round trip
  transport::SharedTime time;
  std::vector<std::unique_ptr<transport::RunningJob>> jobs;
  jobs.reserve(static_cast<std::size_t>(sharing.number));
  for (int i = 0; i < sharing.number; ++i) {
    transport::SimulationConfig config = planned_job(2, sharing.wan, sharing.told_megabits);
    config.seed = seed * 100 + static_cast<std::uint64_t>(i);
    config.beginning = start + i * apart;
    config.topology.hosts = {{1, link, nullptr}, {1, nullptr, nullptr}};
    run_until(time, config.beginning);
    jobs.push_back(std::make_unique<transport::RunningJob>(
        config, [bytes = sharing.bytes](Rank from, Rank) { return from == 0 ? bytes : std::size_t{0}; }));
    time.add(*jobs.back());
  }
  const auto arrived = [&jobs] {
    std::vector<double> datagrams;
    datagrams.reserve(jobs.size());
    for (const auto& job : jobs)
      datagrams.push_back(static_cast<double>(job->network().endpoint(1).counters().datagrams_received));
    return datagrams;
  };
  const transport::Instant settled = start + sharing.number * apart + sharing.settle;
  run_until(time, settled);
  const auto before = arrived();
  const auto dropped = static_cast<double>(link->drops());
  const auto carried = static_cast<double>(link->datagrams());
  run_until(time, settled + 5s);
  auto during = arrived();
  for (std::size_t i = 0; i < during.size(); ++i)
    during[i] -= before[i];
  const auto [least, most] = std::ranges::minmax(during);
  const double lost = static_cast<double>(link->drops()) - dropped;
  return {least, most, lost / (lost + static_cast<double>(link->datagrams()) - carried)};
}

}  // namespace lbsp::plan
