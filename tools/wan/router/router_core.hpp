#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/wan/network/pair_specs.hpp"
#include "tools/wan/router/counters.hpp"
#include "transport/impairment/datagram_pool.hpp"
#include "transport/impairment/delay_line.hpp"

namespace lbsp::wan::router {

/// Decides what becomes of every packet between the hosts of a bed, and keeps it until its time. No I/O and
/// no clock: packets and the time are given to it. What it decides depends on the specs, the seed and the
/// order of the packets of each host alone.
class RouterCore {
 public:
  /// `tells`: whether the sender of a packet that is longer than its path carries hears of it (ICMP). At most
  /// `most_held` packets are under way at once; what would be more is discarded and counted. The counters
  /// must outlive the core.
  RouterCore(const network::PairSpecs& specs, std::uint64_t seed, bool tells, CounterFile& counters,
             std::size_t most_held = default_most_held);

  /// 400 MB of packets of 1500 bytes: 1.7 s of 150,000 a second.
  static constexpr std::size_t default_most_held = std::size_t{1} << 18;

  /// Where the next packet to be taken must stand, at its beginning.
  std::span<std::byte> buffer() { return pool_.bytes(incoming_); }

  /// Takes the packet in buffer(), which host `from` has sent. `now` must not go backwards.
  void take(transport::Instant now, int from, std::size_t bytes);

  /// From now on the network is that one, of as many hosts. What is under way keeps its time.
  void change(const network::PairSpecs& specs, transport::Instant now);

  /// When to call pop_due(); `never` if nothing is under way.
  transport::Instant next() const { return std::min(line_.next(), before_downlink_.next()); }

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

  /// Where the messages of the router itself come from: they are in no pair's counts.
  static constexpr int router_itself = -1;

  std::optional<int> host_at(std::uint32_t address) const;
  Pair& pair(int from, int to);
  /// When the packet has left the uplink, and the pair's bottleneck; nothing if a queue was full.
  std::optional<transport::Instant> depart(transport::Instant now, int from, int to, std::size_t bytes,
                                           transport::Ecn& ecn);
  void refuse(transport::Instant now, int to, std::span<const std::byte> packet, std::size_t mtu_bytes);
  void pass_downlinks(transport::Instant now);
  std::size_t held() const { return line_.size() + before_downlink_.size(); }
  void note_held();

  int hosts_;
  bool tells_;
  CounterFile& counters_;
  std::size_t most_held_;
  std::vector<transport::Uplink> uplinks_;
  std::vector<std::optional<transport::Uplink>> downlinks_;
  std::vector<Pair> pairs_;
  transport::DatagramPool pool_;
  transport::DelayLine line_{pool_};
  transport::DelayLine before_downlink_{pool_};  ///< what goes to hosts with a downlink, on its way there
  transport::DatagramPool::Slot incoming_;
};

}  // namespace lbsp::wan::router
