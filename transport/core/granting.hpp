#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/core/endpoint_state.hpp"
#include "transport/wire/echo.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Divides what the rank's downlink carries among the peers, by what each has still to send, so that all end at the
/// same time. Reports tell each its part. As long as no queue shows that the downlink is full, none is limited.
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
  double lacking(const Peer& from) const;
  void add_up(Instant now);

  EndpointState& state_;
  double lacking_ = 0;  ///< bytes, of all messages from other hosts that are awaited or have begun
  std::optional<Instant> added_up_at_;
};

}  // namespace lbsp::transport
