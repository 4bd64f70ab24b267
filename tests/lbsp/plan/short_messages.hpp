#pragma once

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::plan {

/// Hosts of several ranks each, which are told what their hosts' links carry.
struct RanksOnLinks {
  Rank hosts;
  Rank ranks_each;
  double megabits;
  const char* wan;
};

/// A job on them in which all send all 200 bytes, superstep after superstep.
class ShortMessages {
 public:
  ShortMessages(const RanksOnLinks& on, std::uint64_t seed)
      : seed_(seed), job_(config(on, seed), [](Rank, Rank) { return std::size_t{200}; }) {
    time_.add(job_);
  }

  /// What there is when so many supersteps are done, or the longest time is over, which is a failure.
  const transport::RunningJob& run(std::size_t supersteps, transport::Duration longest) {
    time_.run_until([&] { return job_.supersteps() >= supersteps; }, transport::start + longest);
    EXPECT_GE(job_.supersteps(), supersteps) << seed_;
    return job_;
  }

 private:
  static transport::SimulationConfig config(const RanksOnLinks& on, std::uint64_t seed) {
    transport::SimulationConfig config = planned_job(on.hosts * on.ranks_each, on.wan, on.megabits);
    config.seed = seed;
    give_links(config, {transport::megabits_per_second(on.megabits), 64 << 10}, on.ranks_each);
    return config;
  }

  std::uint64_t seed_;
  transport::RunningJob job_;
  transport::SharedTime time_;
};

}  // namespace lbsp::plan
