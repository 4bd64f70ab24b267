#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// A program whose second rank sends the first its part in the beginning and in the end, and short messages go both
/// ways in between, over a satellite link whose delays vary.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t part_bytes = 1'050'000;
constexpr std::size_t halo_bytes = 4104;
constexpr std::size_t supersteps_between = 42;

struct OfLink {
  std::uint64_t drops = 0;
  std::uint64_t datagrams = 0;

  explicit OfLink(const Bottleneck& link) : drops(link.drops()), datagrams(link.datagrams()) {}
  /// Of what has come to the link since.
  double dropped_since(const OfLink& before) const {
    const auto more_drops = static_cast<double>(drops - before.drops);
    return more_drops / (more_drops + static_cast<double>(datagrams - before.datagrams));
  }
};

/// Of what goes to the first rank.
struct Dropped {
  double until_last_part;
  double of_last_part;
};

Dropped dropped(const char* wan, std::uint64_t seed) {
  SimulationConfig config = planned_job(2, wan);
  config.seed = seed;
  give_uplinks(config, {.rate = megabits_per_second(0.512), .queue_bytes = 64 << 10, .exact = false});
  std::array<std::size_t, 2> asked{};
  RunningJob job(config, [&](Rank from, Rank) -> std::size_t {
    const std::size_t superstep = asked[static_cast<std::size_t>(from)]++;
    if (superstep != 0 && superstep != supersteps_between + 1) return halo_bytes;
    return from == 1 ? part_bytes : 0;
  });
  SharedTime time;
  time.add(job);
  const Bottleneck& link = *config.topology.hosts[1].uplink;
  const OfLink begin(link);
  time.run_until([&] { return job.supersteps() > supersteps_between; }, start + 200s);
  const OfLink middle(link);
  time.run_until([&] { return job.supersteps() > supersteps_between + 1; }, start + 400s);
  EXPECT_EQ(job.supersteps(), supersteps_between + 2);
  const OfLink end(link);
  return {middle.dropped_since(begin), end.dropped_since(middle)};
}

/// Datagrams that came at once after a late one passed for a link that carries 2 Gbit/s: up to 60 % of the last part
/// was dropped, and where delays do not vary 0.
TEST(LongSlowLink, is_not_flooded_where_delays_vary) {
  for (const char* wan : {"rtt=600ms,loss=1%,jitter=50ms", "rtt=600ms,jitter=20ms"}) {
    for (const std::uint64_t seed : {1U, 2U, 4U, 6U}) {
      const Dropped seen = dropped(wan, seed);
      EXPECT_LT(seen.until_last_part, 0.06) << wan << ", seed " << seed;
      EXPECT_LT(seen.of_last_part, 0.03) << wan << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace lbsp::plan
