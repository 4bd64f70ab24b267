#include <gtest/gtest.h>
#include <optional>

#include "tests/transport/scripted_superstep.hpp"
#include "tests/transport/simulated_run.hpp"

/// Path MTU discovery in whole jobs: the length of datagrams follows what each path carries, upwards and downwards.
namespace lbsp::transport::testing {
namespace {

SimulatedSupersteps job(Rank size, std::size_t bytes, std::uint32_t supersteps) {
  SimulatedSupersteps job;
  job.config.size = size;
  job.config.options.find_datagram = true;
  job.config.options.datagram_bytes = 8972;
  job.config.options.rate = megabits_per_second(100);
  job.config.wan.round_trip_time = 40ms;
  job.config.wan.rate = job.config.options.rate;
  job.supersteps = supersteps;
  // The first superstep is the empty one that begins a job.
  job.message = [bytes](std::uint32_t superstep, Rank from, Rank to) {
    return patterned(from, to, superstep == 0 ? 0 : bytes, superstep);
  };
  return job;
}

FaultPlan::Narrowing narrow(std::size_t bytes, Duration begin = 0ms, Duration end = Duration::max()) {
  return {FaultPlan::every, FaultPlan::every, begin, bytes, false, end};
}

double wire_per_payload(const SimulatedRun& run) {
  double wire = 0;
  double payload = 0;
  for (Rank rank = 0; rank < run.network().size(); ++rank) {
    wire += static_cast<double>(run.network().endpoint(rank).counters().wire_bytes_sent);
    payload += static_cast<double>(run.network().endpoint(rank).counters().payload_bytes_sent);
  }
  return wire / payload;
}

TEST(SizeFinder, the_longest_usual_length_that_a_path_carries_is_found) {
  // MTU 576, 1280, 1420, 1500 and 9000 over IPv4.
  for (const auto& [carried, found] : std::vector<std::pair<std::size_t, std::size_t>>{
           {548, 548}, {1252, 1252}, {1392, 1392}, {1472, 1472}, {8972, 8972}}) {
    for (const double loss : {0., 0.1}) {
      auto plan = job(3, 50'000, 30);
      plan.config.wan.loss = loss;
      plan.config.faults.narrowings.push_back(narrow(carried));
      SimulatedRun run(plan);
      run.complete();
      int right = 0;
      for (Rank rank = 0; rank < 3; ++rank) {
        for (Rank to = 0; to < 3; ++to)
          right += rank != to && run.network().endpoint(rank).routes().datagram_bytes(to) == found ? 1 : 0;
      }
      EXPECT_GE(right, loss > 0 ? 5 : 6) << carried << " bytes, loss " << loss;
    }
  }
}

/// When both ranks have come to use this length; never: the end of the job.
Duration found_after(SimulatedSupersteps plan, std::size_t bytes) {
  const SimulatedRun* running = nullptr;
  std::optional<Duration> found;
  plan.message = [&, message = plan.message](std::uint32_t superstep, Rank from, Rank to) {
    const auto uses = [&](Rank rank) {
      return running->network().endpoint(rank).routes().datagram_bytes(1 - rank);
    };
    const bool is_found = running->elapsed() > 0ms && std::min(uses(0), uses(1)) >= bytes;
    if (is_found && std::max(uses(0), uses(1)) < base_datagram_bytes && !found) found = running->elapsed();
    return message(superstep, from, to);
  };
  SimulatedRun run(plan);
  running = &run;
  run.complete();
  return found.value_or(run.elapsed());
}

/// A firewall that drops what is longer than an odd length, without a word.
TEST(SizeFinder, what_a_filter_below_the_base_lets_pass_is_found_within_a_second) {
  for (const std::size_t carried : {872U, 972U}) {
    for (const Duration begin : {0ms, 200ms}) {
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        auto plan = job(2, 50'000, 60);
        plan.config.seed = seed;
        plan.config.wan.loss = seed % 2 == 0 ? 0.05 : 0;
        plan.config.faults.narrowings.push_back(narrow(carried, begin));
        EXPECT_LT(milliseconds(found_after(plan, carried * 12 / 13) - begin), 1000)
            << carried << " from " << milliseconds(begin) << " ms on, seed " << seed;
      }
    }
  }
}

TEST(SizeFinder, jumbo_frames_save_datagrams_and_time_without_being_asked_for) {
  const auto run_with = [](std::size_t carried) {
    auto plan = job(4, 1'000'000, 12);
    plan.config.faults.narrowings.push_back(narrow(carried));
    SimulatedRun run(plan);
    run.complete();
    return run.economy();
  };
  const Economy jumbo = run_with(8972);
  const Economy usual = run_with(1472);
  EXPECT_LT(3 * jumbo.datagrams(), usual.datagrams());
  EXPECT_LT(milliseconds(jumbo.per_superstep()), 0.99 * milliseconds(usual.per_superstep()));
}

TEST(SizeFinder, a_path_below_the_base_costs_little_before_it_is_known) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto plan = job(2, 1'500'000, 2);
    plan.config.seed = seed;
    plan.config.options.rate = megabits_per_second(10);
    plan.config.wan.rate = plan.config.options.rate;
    plan.config.wan.loss = 0.1;
    plan.config.faults.narrowings.push_back(narrow(872));
    SimulatedRun run(plan);
    run.complete();
    EXPECT_LT(wire_per_payload(run), 2.6) << seed;
    EXPECT_LT(milliseconds(run.elapsed()), 4500) << seed;
  }
}

TEST(SizeFinder, a_path_that_narrows_in_mid_run_costs_a_few_round_trips) {
  for (const auto& [before, after] : std::vector<std::pair<std::size_t, std::size_t>>{
           {8972, 548}, {8972, 1472}, {1472, 1392}, {1472, 548}, {1392, 1252}}) {
    for (const double loss : {0., 0.1}) {
      double longest = 0;
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        auto plan = job(2, 400'000, 20);
        plan.config.seed = seed;
        plan.config.wan.loss = loss;
        plan.config.faults.narrowings = {narrow(before, 0ms, 500ms), narrow(after, 500ms)};
        SimulatedRun run(plan);
        run.complete();
        longest = std::max(longest, milliseconds(run.longest_standstill()));
        EXPECT_LE(run.network().endpoint(0).routes().datagram_bytes(1), after);
      }
      RecordProperty(fmt::format("{}_{}_{}", before, after, loss), fmt::format("{:.0f} ms", longest));
      EXPECT_LT(longest, loss > 0 ? 1000 : 400) << before << " to " << after << ", loss " << loss;
    }
  }
}

TEST(SizeFinder, a_path_that_widens_in_mid_run_is_used_after_a_rest) {
  auto plan = job(2, 20'000, 600);
  plan.config.faults.narrowings = {narrow(1392, 0ms, 2s), narrow(548, 2s, 5s)};
  SimulatedRun run(plan);
  run.complete();
  EXPECT_GT(milliseconds(run.elapsed()), 11'000);
  EXPECT_EQ(run.network().endpoint(0).routes().datagram_bytes(1), 8972u);
  EXPECT_EQ(run.network().endpoint(1).routes().datagram_bytes(0), 8972u);
}

TEST(SizeFinder, a_question_that_does_not_arrive_is_no_loss_of_the_path) {
  auto plan = job(2, 50'000, 50);
  plan.config.faults.narrowings.push_back(narrow(1392));
  SimulatedRun run(plan);
  run.complete();
  EXPECT_GT(run.economy().lost(), 0u);
  EXPECT_EQ(run.network().endpoint(0).network().loss, 0);
}

TEST(SizeFinder, loss_and_bursts_are_no_narrow_path) {
  int shorter = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    auto plan = job(3, seed % 2 == 0 ? 1000 : 60'000, 60);
    plan.config.seed = seed;
    plan.config.options.datagram_bytes = 1472;
    plan.config.wan.loss = seed % 4 == 0 ? 0.3 : 0.15;
    plan.config.wan.burst = 1 + static_cast<double>(seed % 3) * 5;
    plan.config.wan.jitter = 3ms;
    SimulatedRun run(plan);
    run.complete();
    for (Rank rank = 0; rank < 3; ++rank) {
      for (Rank to = 0; to < 3; ++to)
        shorter += rank != to && run.network().endpoint(rank).routes().datagram_bytes(to) < 1200 ? 1 : 0;
    }
  }
  EXPECT_LE(shorter, 1);
}

}  // namespace
}  // namespace lbsp::transport::testing
