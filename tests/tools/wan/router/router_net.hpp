#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tests/tools/wan/packets/packet.hpp"
#include "tools/wan/router/router_core.hpp"

namespace lbsp::wan::router {

using packets::headers;
using packets::Packet;
using packets::packet_to;
using packets::put;

inline constexpr transport::Instant start{std::chrono::seconds{1}};

struct Arrived {
  transport::Instant time;
  int from;
  int to;
  Packet packet;
  std::uint32_t number() const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | std::to_integer<std::uint32_t>(packet[headers + i]);
    return value;
  }
};

/// A core in virtual time.
class Net {
 public:
  explicit Net(const network::PairSpecs& specs, std::size_t most_held = RouterCore::default_most_held,
               std::uint64_t seed = 1, bool tells = true)
      : counters_(CounterFile::create(folder_.path() / "counters", specs.hosts())),
        core_(specs, seed, tells, counters_, most_held) {}

  void send(transport::Instant now, int from, const Packet& packet) {
    std::ranges::copy(packet, core_.buffer().begin());
    core_.take(now, from, packet.size());
  }

  /// All that is under way, each at its time and `lateness`.
  std::vector<Arrived> arrivals(transport::Duration lateness = {}) {
    std::vector<Arrived> all;
    while (core_.next() != transport::never) {
      const transport::Instant due = core_.next();
      EXPECT_FALSE(core_.pop_due(due - std::chrono::nanoseconds{1}));
      const auto delivery = core_.pop_due(due);
      all.push_back(
          {due, delivery->from, delivery->to, Packet(delivery->packet.begin(), delivery->packet.end())});
      core_.done(*delivery, due + lateness, true);
    }
    return all;
  }

  RouterCore& core() { return core_; }
  CounterFile& counters() { return counters_; }

 private:
  test::TemporaryFolder folder_;
  CounterFile counters_;
  RouterCore core_;
};

}  // namespace lbsp::wan::router
