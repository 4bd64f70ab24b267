#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "transport/units.hpp"

namespace lbsp::transport {

/// The network to pretend: what happens to every datagram between two ranks. The default is a perfect
/// network. impairment/link.hpp says exactly what each figure does.
struct WanSpec {
  double loss = 0;                     ///< mean fraction of datagrams lost in each direction, 0 … 1
  Duration round_trip_time{0};         ///< half of it each way
  std::optional<BytesPerSecond> rate;  ///< of each rank's uplink, UDP payload; none: no limit
  Duration jitter{0};                  ///< the one-way delay varies by up to this, up and down
  double burst = 1;                    ///< mean length of a run of losses, >= 1; 1: losses are independent
  double reorder = 0;                  ///< fraction held back so that later ones overtake
  double overtake = 0;                 ///< fraction that takes no delay, and so overtakes earlier ones
  double duplicate = 0;                ///< fraction that arrives twice
  double corrupt = 0;                  ///< fraction that arrives with bits flipped
  std::uint64_t queue_bytes = std::uint64_t{256}
                              << 10;       ///< what a link lets wait; only with `rate` or `downlink`
  std::optional<BytesPerSecond> downlink;  ///< of each host's downlink; only a bed has one (docs/wan.md)
  std::optional<std::size_t>
      mtu_bytes;  ///< longest IP packet that passes; longer ones vanish; none: no limit

  /// A queue marks what lets itself be marked and finds so many bytes waiting; none: it marks nothing.
  std::optional<std::uint64_t> ecn_bytes;

  friend bool operator==(const WanSpec&, const WanSpec&) = default;
};

/// Of an IPv4 packet with a UDP datagram; `mtu_bytes` counts them, rates do not.
inline constexpr std::size_t packet_header_bytes = 28;

/// Reads `loss=10%,rtt=70ms,rate=100Mbit,jitter=5ms,burst=4,reorder=1%,overtake=1%`,
/// `duplicate=1%,corrupt=0.1%,queue=256KiB,down=50Mbit,mtu=1280,ecn=30KiB`, or any of these keys, each at
/// most once, in any order; what it does not name is as in `rest`. Throws UsageError, one line that says which
/// part is wrong and what to write instead.
WanSpec parse_wan_spec(std::string_view text, const WanSpec& rest = {});

/// The same for a network that each sender pretends by itself: refuses `down`, which senders share.
WanSpec parse_pretended_wan_spec(std::string_view text);

/// The text that parse_wan_spec reads back as the same. Leaves out what is as in a default WanSpec.
std::string to_string(const WanSpec& spec);

}  // namespace lbsp::transport
