#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/core/endpoint_state.hpp"
#include "transport/rate/first_flood.hpp"
#include "transport/wire/echo.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Divides what the rank's downlink carries among the peers, by what each has still to send, so that all end at the
/// same time. Reports tell each its part. As long as the downlink has not been flooded, none is limited.
class Granting {
 public:
  explicit Granting(EndpointState& state) : state_(state) {}

  /// A segment has come; `newest`: no later datagram of its sender has.
  void arrived(Peer& from, const SegmentHeader& header, std::size_t datagram_bytes, bool newest, Instant now);
  /// The rank awaits messages of the next leg. Those to whom it grants much more or less than they know are told.
  void leg_begun(Instant now);
  /// What `to` may send from now on; nullopt: as much as it likes.
  std::optional<BytesPerSecond> rate_for(const Peer& to, Instant now);

 private:
  bool shares_downlink() const { return state_.peers.far() + 1 < state_.peers.size(); }
  Downlink::Context context_of(const Peer& from) const;
  void look_for_first_flood(const Peer& from, std::size_t datagram_bytes, Instant now);
  static double length_of(const Peer& from);
  double awaited_of(const Peer& from) const;
  void add_up(Instant now);
  void take_back_drops();
  void doubt_loss(Peer& from);

  EndpointState& state_;
  FirstFlood first_flood_;
  double awaited_ = 0;  ///< bytes, of all messages from other hosts that have not come whole
  double lengths_ = 0;  ///< bytes, of the newest message of each of them
  std::optional<Instant> added_up_at_;
};

}  // namespace lbsp::transport
