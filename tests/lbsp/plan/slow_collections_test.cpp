#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Programs that send all to the first rank in the end, over slow links with token buckets (the kernel's tbf), after
/// supersteps that are so short that they pass at once.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr Rank collecting_ranks = 3;
constexpr std::size_t halo = 16'392;
constexpr std::size_t collected = 4'000'000;
constexpr std::size_t count = 128;   ///< as lengths are told the other way
constexpr double header_bytes = 42;  ///< of a datagram, which count most for short ones

struct Collection {
  double megabits;
  const char* wan;
  std::size_t supersteps_before = 30;
};

/// Of the collection. Who receives nothing in it is in the next superstep before it has sent all.
struct Collecting {
  double told;     ///< what the first rank's link carries, as a part of what comes to it
  double dropped;  ///< part of what goes to it
};

struct CarriedSoFar {
  double to_first = 0;    ///< bytes, with headers …
  double from_first = 0;  ///< … the other way
  double datagrams = 0;   ///< to the first
  double dropped = 0;     ///< of them, besides

  explicit CarriedSoFar(const std::vector<Topology::Host>& hosts) {
    for (const auto& host : hosts) {
      const Bottleneck& link = *host.uplink;
      const auto count = static_cast<double>(link.datagrams());
      double& bytes = &host == hosts.data() ? from_first : to_first;
      bytes += static_cast<double>(link.carried_bytes()) + header_bytes * count;
      if (&host == hosts.data()) continue;
      datagrams += count;
      dropped += static_cast<double>(link.drops());
    }
  }
};

Collecting collect(const Collection& given) {
  SimulationConfig config = planned_job(collecting_ranks, given.wan);
  give_uplinks(config, token_bucket(given.megabits, 50'000, 20'000));
  std::array<std::size_t, collecting_ranks> asked{};
  RunningJob job(config, [&](Rank from, Rank to) {
    const std::size_t superstep = asked[static_cast<std::size_t>(from)]++ / (collecting_ranks - 1);
    // Supersteps before and after it go to the neighbours.
    if (superstep != given.supersteps_before) return std::abs(from - to) == 1 ? halo : std::size_t{0};
    return to == 0 ? collected : count;
  });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= given.supersteps_before; }, start + 120s);
  EXPECT_EQ(job.supersteps(), given.supersteps_before);
  const CarriedSoFar before(config.topology.hosts);
  time.run_until([&] { return job.supersteps() > given.supersteps_before; }, start + 300s);
  EXPECT_GT(job.supersteps(), given.supersteps_before);
  const CarriedSoFar after(config.topology.hosts);
  const double dropped = after.dropped - before.dropped;
  return {(after.from_first - before.from_first) / (after.to_first - before.to_first),
          dropped / (after.datagrams - before.datagrams + dropped)};
}

constexpr const char* networks[] = {"rtt=0.3ms,jitter=0.03ms", "rtt=0.3ms,jitter=0.03ms,loss=5%", "rtt=10ms",
                                    "rtt=40ms"};

/// Who only receives does not know its own link. It told of each segment several times, up to half of what came.
TEST(SlowCollection, is_told_of_once_for_each_segment) {
  for (const char* wan : networks) {
    for (const double megabits : {0.5, 2., 10.})
      EXPECT_LT(collect({megabits, wan}).told, 0.12) << wan << ", " << megabits << " Mbit/s";
  }
}

/// The short ones had passed for proof that the links carry 100 Mbit/s, and a rank that sends to one other learned
/// nothing of its first data: 10 to 40 % was dropped, at 2 Mbit/s most of what was sent in the first seconds.
TEST(SlowCollection, drops_little_although_what_was_before_passed_at_once) {
  for (const std::size_t before : {std::size_t{0}, std::size_t{30}}) {
    for (const char* wan : networks) {
      for (const double megabits : {2., 10.})
        EXPECT_LT(collect({megabits, wan, before}).dropped, 0.06)
            << wan << ", " << megabits << " Mbit/s, " << before << " supersteps before";
    }
  }
}

}  // namespace
}  // namespace lbsp::plan
