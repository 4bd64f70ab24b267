#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/wan/counters.hpp"
#include "tools/wan/pair_specs.hpp"
#include "transport/impairment/datagram_pool.hpp"
#include "transport/impairment/delay_line.hpp"

namespace lbsp::wan {

/// Decides what becomes of every packet between the hosts of a bed, and keeps it until its time. No I/O and
/// no clock: packets and the time are given to it. What it decides depends on the specs, the seed and the
/// order of the packets of each host alone.
class RouterCore {
 public:
  /// At most `most_held` packets are under way at once; what would be more is discarded and counted. The
  /// counters must outlive the core.
  RouterCore(const PairSpecs& specs, std::uint64_t seed, CounterFile& counters,
             std::size_t most_held = default_most_held);

  /// Largest packet: what hosts' devices hand over at most.
  static constexpr std::size_t packet_bytes = 1500;
  /// 400 MB of packets: 1.7 s of 150,000 a second.
  static constexpr std::size_t default_most_held = std::size_t{1} << 18;

  /// Where the next packet to be taken must stand, at its beginning.
  std::span<std::byte> buffer() { return pool_.bytes(incoming_); }

  /// Takes the packet in buffer(), which host `from` has sent. `now` must not go backwards.
  void take(transport::Instant now, int from, std::size_t bytes);

  /// When the next packet is to be delivered; `never` if none is under way.
  transport::Instant next() const { return line_.next(); }

  struct Delivery {
    int from;
    int to;
    transport::Instant due;
    std::span<const std::byte> packet;
    transport::DatagramPool::Slot slot;
  };

  /// The next packet whose time has come. It must be given back by done().
  std::optional<Delivery> pop_due(transport::Instant now);
  /// `now` is when it was delivered; or the host did not take it.
  void done(const Delivery& delivery, transport::Instant now, bool delivered);

 private:
  struct Pair {
    transport::WanSpec spec;
    transport::Path path;
    std::optional<transport::Uplink> bottleneck;
  };

  std::optional<int> host_at(std::uint32_t address) const;
  transport::Passages send(transport::Instant now, int from, int to, std::size_t payload,
                           transport::ImpairmentCounters& outcome);

  int hosts_;
  CounterFile& counters_;
  std::size_t most_held_;
  std::vector<transport::Uplink> uplinks_;
  std::vector<Pair> pairs_;
  transport::DatagramPool pool_{packet_bytes};
  transport::DelayLine line_{pool_};
  transport::DatagramPool::Slot incoming_;
};

}  // namespace lbsp::wan
