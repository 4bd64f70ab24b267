#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/paths/recent_most.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Notices that several peers send far more to a rank than comes through, from the gaps in their numbers alone. Nothing
/// has to be known of the paths, as before the first answer, when most of what is sent is dropped. A link that drops is
/// full: as much comes as ever. Where paths lose as much in a run of losses of their own, less comes.
class FirstFlood {
 public:
  /// Fewer peers flood nothing but their own links.
  static constexpr Rank several = 2;

  /// A datagram of so many bytes that is the newest of its peer.
  struct Arrival {
    Rank peer;
    std::uint64_t packets;  ///< 1 + its number
    std::uint64_t arrived;  ///< of these
    std::size_t bytes;
  };

  struct Seen {
    double loss;             ///< of what several peers sent together
    BytesPerSecond carried;  ///< what of it came through
  };

  /// What the last datagrams say, if these have become enough with this one.
  std::optional<Seen> add(const Arrival& arrival, Instant now);

 private:
  struct Sender {
    std::uint64_t packets = 0;  ///< as it was last told …
    std::uint64_t arrived = 0;
    std::uint64_t sent_lately = 0;  ///< … and since all were looked at together
    std::uint64_t arrived_lately = 0;
  };

  std::optional<Seen> look(Instant now);

  std::vector<Sender> senders_;  ///< by rank
  std::uint64_t sent_ = 0;       ///< since all were looked at, by all
  std::uint64_t arrived_ = 0;
  double bytes_ = 0;
  Instant begun_{};
  RecentMost carried_;  ///< bytes per second, of what was looked at together
};

}  // namespace lbsp::transport
