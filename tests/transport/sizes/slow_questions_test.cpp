#include <algorithm>
#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"
#include "tests/transport/simulated_run.hpp"
#include "transport/paths/datagram_sizes.hpp"
#include "transport/rate/first_flight.hpp"
#include "transport/wire/format.hpp"

/// What the search for longer datagrams costs on links that are much slower than a rank believes, and how long it takes
/// on fast ones.
namespace lbsp::transport::testing {
namespace {

SimulatedSupersteps gather(Rank size, std::string_view wan, std::size_t bytes) {
  SimulatedSupersteps job;
  job.config.size = size;
  job.config.options.find_datagram = true;
  job.config.options.find_rate = true;
  job.config.options.datagram_bytes = usual_longest_datagram_bytes;
  job.config.options.rate = megabits_per_second(100);
  job.config.options.peer_timeout = 1min;
  job.config.wan = parse_wan_spec(wan);
  for (Rank rank = 0; rank < size; ++rank)
    job.config.logs.push_back(std::make_shared<PathLog>(size, 50'000));
  job.supersteps = 6;
  job.message = [bytes](std::uint32_t superstep, Rank from, Rank to) {
    return patterned(from, to, to == 0 && superstep > 0 ? bytes : 0, superstep);
  };
  return job;
}

struct Asked {
  std::size_t questions = 0;  ///< bytes of one rank, besides those that ask how fast the link is
  std::size_t all = 0;
};

/// The rank that asks most.
Asked most_asked(const SimulatedSupersteps& job) {
  Asked most;
  for (const auto& log : job.config.logs) {
    Asked asked;
    for (const PathEvent& event : log->events()) {
      if (event.what != PathEvent::What::sent) continue;
      asked.all += event.bytes;
      const bool size = event.kind == static_cast<std::uint8_t>(DatagramKind::size);
      const bool first = event.bytes == FirstFlight::train_datagram_bytes(FirstFlight::most_trains);
      if (size && event.bytes > 100 && !first) asked.questions += event.bytes;
    }
    if (asked.questions > most.questions) most = asked;
  }
  return most;
}

/// Where datagrams are lost, some paths look narrow now and then, and are asked at once.
TEST(SlowQuestions, are_a_tenth_of_all_bytes_and_three_datagrams_where_the_link_is_slower_than_believed) {
  constexpr std::uint64_t seeds = 6;
  for (const auto& [wan, factor] : {std::pair{"rtt=40ms,rate=64kbit", 1.0},
                                    {"rtt=40ms,rate=256kbit", 1.0},
                                    {"rtt=40ms,rate=256kbit,loss=1%", 1.5}}) {
    for (const Rank size : {3, 12}) {
      double questions = 0;
      double most = 0;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        auto job = gather(size, wan, 2'000);
        job.config.seed = seed;
        SimulatedRun run(job);
        run.complete();
        const Asked asked = most_asked(job);
        questions += static_cast<double>(asked.questions);
        most += 3600 + static_cast<double>(asked.all) / 10;
      }
      EXPECT_LE(questions, factor * most) << size << " ranks, " << wan;
    }
  }
}

TEST(SlowQuestions, find_the_usual_length_within_some_round_trips_where_the_link_is_fast) {
  for (const auto& [size, supersteps] : {std::pair<Rank, std::uint32_t>{2, 3}, {4, 4}, {12, 6}}) {
    auto job = gather(size, "rtt=40ms,rate=100Mbit", 0);
    job.supersteps = supersteps;
    job.message = [](std::uint32_t superstep, Rank from, Rank to) {
      return patterned(from, to, superstep > 0 ? 20'000 : 0, superstep);
    };
    SimulatedRun run(job);
    run.complete();
    for (Rank rank = 0; rank < size; ++rank) {
      for (Rank to = 0; to < size; ++to) {
        if (rank != to) {
          EXPECT_EQ(run.network().endpoint(rank).routes().datagram_bytes(to), usual_longest_datagram_bytes)
              << size << " ranks, " << rank << " to " << to;
        }
      }
    }
  }
}

TEST(SlowQuestions, find_jumbo_frames_for_a_rate_that_is_found) {
  auto job = gather(3, "rtt=40ms,rate=100Mbit", 20'000);
  job.config.options.datagram_bytes = 8972;
  job.supersteps = 12;
  SimulatedRun run(job);
  run.complete();
  EXPECT_EQ(run.network().endpoint(1).routes().datagram_bytes(0), 8972u);
  EXPECT_EQ(run.network().endpoint(2).routes().datagram_bytes(0), 8972u);
}

}  // namespace
}  // namespace lbsp::transport::testing
