#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/peers/endpoint_state.hpp"
#include "transport/rate/first_flood.hpp"
#include "transport/wire/echo.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Divides what the rank's downlink carries among the peers, by what each has still to send, so that all end at the
/// same time. Reports tell each its part. As long as the downlink has not been flooded, none is limited.
class Granting {
 public:
  explicit Granting(EndpointState& state) : state_(state), seat_(seat_on_own_host(state.config)) {}

  /// A segment has come; `newest`: no later datagram of its sender has.
  void arrived(Peer& from, const SegmentHeader& header, std::size_t datagram_bytes, bool newest, Instant now);
  /// The rank awaits messages of the next leg. Those to whom it grants much more or less than they know are told.
  void leg_begun(Instant now);
  /// What `to` may send from now on; nullopt: as much as it likes.
  std::optional<BytesPerSecond> rate_for(const Peer& to, Instant now);

 private:
  /// Ranks of this host that it does not know of see the same queue, and would not know what it grants.
  bool may_grant() const { return state_.downlink->seats() == state_.peers.size() - state_.peers.far(); }
  Downlink::Context context_of(const Peer& from) const;
  void look_for_first_flood(const Peer& from, std::size_t datagram_bytes, Instant now);
  static double told_to(const Peer& to);
  static bool on_its_way(const Peer& from);
  static double length_of(const Peer& from);
  double awaited_of(const Peer& from) const;
  void add_up(Instant now);
  void take_back_drops();
  void doubt_loss(Peer& from);

  EndpointState& state_;
  const Rank seat_;  ///< among the ranks of the host
  FirstFlood first_flood_;
  HostDownlink::Demand all_;         ///< of all ranks of the host
  std::uint32_t judged_rounds_ = 0;  ///< as far as this rank knows
  std::optional<Instant> added_up_at_;
};

}  // namespace lbsp::transport
