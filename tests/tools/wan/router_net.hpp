#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tools/wan/ip_packet.hpp"
#include "tools/wan/router_core.hpp"

namespace lbsp::wan {

using Packet = std::vector<std::byte>;

inline constexpr transport::Instant start{std::chrono::seconds{1}};
inline constexpr std::size_t headers = 28;

inline void put(Packet& packet, std::size_t offset, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    packet[offset + static_cast<std::size_t>(i)] =
        static_cast<std::byte>(value >> (8 * (bytes - 1 - i)) & 0xff);
}

/// A UDP datagram (protocol 17) or whatever else, whose payload begins with its number.
inline Packet packet_to(std::uint32_t address, std::size_t payload = 1000, std::uint32_t number = 0,
                        int protocol = 17) {
  Packet packet(headers + payload);
  packet[0] = std::byte{0x45};
  put(packet, 2, static_cast<std::uint32_t>(packet.size()), 2);
  packet[9] = static_cast<std::byte>(protocol);
  put(packet, 16, address, 4);
  put(packet, 26, 0xbeef, 2);
  if (payload >= 4) put(packet, headers, number, 4);
  return packet;
}

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
  explicit Net(const PairSpecs& specs, std::size_t most_held = RouterCore::default_most_held,
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

}  // namespace lbsp::wan
