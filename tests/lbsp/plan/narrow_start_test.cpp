#include <chrono>
#include <gtest/gtest.h>
#include <ostream>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// A job that begins on paths that carry less than the datagrams that it begins with.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr Duration round_trip = 20ms;

enum class Narrow { no, unsaid, heard };

struct Start {
  double megabits;
  bool found;
  double loss;
  std::uint64_t seed;
};

std::ostream& operator<<(std::ostream& out, const Start& start) {
  return out << start.megabits << " Mbit/s, " << (start.found ? "found" : "told") << ", loss " << start.loss
             << ", seed " << start.seed;
}

/// How long four ranks take that send each other 100 kB before anything has been sent.
double first_superstep(const Start& start, Narrow narrow) {
  SimulationConfig config = planned_job(4, WanSpec{}, start.found ? 0 : start.megabits);
  config.wan.round_trip_time = round_trip;
  config.wan.loss = start.loss;
  config.seed = start.seed;
  config.options.find_datagram = true;
  config.options.datagram_bytes = 1472;
  constexpr std::size_t of_mtu_576 = 548;
  if (narrow != Narrow::no)
    config.faults.narrowings.push_back({.bytes = of_mtu_576, .heard = narrow == Narrow::heard});
  give_links(config, {megabits_per_second(start.megabits), 512 << 10});
  RunningJob job(config, [](Rank, Rank) { return std::size_t{100'000}; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() > 0; }, config.beginning + 60s);
  return job.seconds(0);
}

/// By how many round trips the path's narrowness makes it longer.
double lost_round_trips(const Start& start, Narrow narrow) {
  return (first_superstep(start, narrow) - first_superstep(start, Narrow::no)) / seconds(round_trip);
}

TEST(NarrowStart, costs_some_round_trips_where_nobody_says_that_the_path_is_narrow) {
  for (const bool found : {true, false}) {
    for (const double loss : {0., 0.1}) {
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const Start start{100, found, loss, seed};
        EXPECT_LT(lost_round_trips(start, Narrow::unsaid), loss > 0 ? 4.5 : 2.5) << start;
      }
    }
    EXPECT_LT(lost_round_trips({20, found, 0, 1}, Narrow::unsaid), 5) << found;
  }
}

TEST(NarrowStart, costs_little_more_than_one_where_the_system_has_heard_of_it) {
  for (const bool found : {true, false}) {
    for (const double loss : {0., 0.1}) {
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const Start start{100, found, loss, seed};
        EXPECT_LT(lost_round_trips(start, Narrow::heard), loss > 0 ? 2.5 : 1.5) << start;
      }
    }
  }
}

TEST(NarrowStart, ends_on_links_so_slow_that_a_question_takes_longer_than_its_answer) {
  for (const double loss : {0., 0.1}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Start start{0.3, false, loss, seed};
      const double wide = first_superstep(start, Narrow::no);
      EXPECT_LT(first_superstep(start, Narrow::unsaid), (loss > 0 ? 1.6 : 1.25) * wide) << start;
    }
  }
}

enum class RateOf { told, found, found_by_survivors };

/// How many bytes a slow link carries for each peer until every rank has the 3000 of each other one.
double bytes_for_3000(Rank ranks, double megabits, RateOf rate) {
  SimulationConfig config = planned_job(ranks, WanSpec{}, rate == RateOf::told ? megabits : 0);
  config.wan.round_trip_time = 30ms;
  config.options.find_datagram = true;
  config.options.datagram_bytes = 1472;
  config.options.outlives_ranks = rate == RateOf::found_by_survivors;
  config.faults.narrowings.push_back({.bytes = 548});
  give_links(config, {megabits_per_second(megabits), 20'000});
  RunningJob job(config, [](Rank, Rank) { return std::size_t{3000}; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() > 0; }, config.beginning + 60s);
  return job.seconds(0) * megabits * 1e6 / 8 / (ranks - 1);
}

/// The questions of one trial take a second and a half. Every rank tried all its paths, which took two to three times
/// as long as now that one trial does for all.
TEST(NarrowStart, takes_one_trial_of_each_rank_on_the_slowest_links) {
  for (const RateOf rate : {RateOf::told, RateOf::found, RateOf::found_by_survivors}) {
    for (const double megabits : {0.064, 0.128}) {
      for (const Rank ranks : {2, 3, 4, 6}) {
        const double most = ranks > 2 ? 19'000 : rate == RateOf::found_by_survivors ? 31'000 : 25'000;
        EXPECT_LT(bytes_for_3000(ranks, megabits, rate), most)
            << ranks << " ranks, " << megabits << " Mbit/s, " << static_cast<int>(rate);
      }
    }
  }
}

}  // namespace
}  // namespace lbsp::plan
