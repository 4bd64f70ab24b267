#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "transport/background.hpp"
#include "transport/core/datagram_writer.hpp"
#include "transport/core/endpoint_state.hpp"
#include "transport/core/in_flight.hpp"
#include "transport/core/incoming_parcel.hpp"
#include "transport/core/outgoing_parcel.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Sends parcels (transport/background.hpp) when nothing else is to be sent, and takes those of others.
///
/// They go evenly over the supersteps that they have, but for the last two round trips, in which what was lost goes
/// again. A receiver says twice in a round trip what it has, and once more when it has all. A segment goes again when
/// one that went later has arrived; what is lost at the end is for the message.
class Parcels {
 public:
  Parcels(EndpointState& state, DatagramWriter& writer, const InFlight& in_flight)
      : state_(state), writer_(writer), in_flight_(in_flight) {}

  // As Background's.

  void post(std::uint64_t id, std::vector<Bytes> parcels, std::uint64_t supersteps, Instant now);
  std::optional<std::vector<Background::Part>> recall(std::uint64_t id);
  std::vector<Background::Parcel> take(std::uint64_t id);

  /// The first leg of a superstep has begun.
  void superstep_begun(Instant now);
  /// Nothing is sent any more.
  void stop();

  /// Each takes what a datagram says; false if it makes no sense.
  bool take_segment(Peer& from, const ParcelHeader& header, std::span<const std::byte> segment, Instant now);
  bool take_report(Peer& from, const ParcelReport& report);

  /// The next datagram, if one is due; to be asked when the rank's pace allows one.
  std::optional<Transmit> next(std::span<std::byte> buffer, Instant now);
  /// When next() may have one; `never` if nothing is to be sent.
  Instant next_release() const;

 private:
  /// Of what is posted: how it is spread over time.
  struct Pace {
    Instant began{};
    Duration window{0};
    std::uint64_t segments = 0;  ///< that are to be sent in it
    std::uint64_t sent = 0;

    Instant next() const;
  };

  Duration longest_round_trip() const;
  static std::size_t segment_bytes(const Peer& to);
  bool may_send(Peer& to, Instant now);
  bool has_more() const;
  std::optional<Transmit> next_report(std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> next_segment(std::span<std::byte> buffer, Instant now);
  Transmit write_segment(Peer& to, OutgoingParcel& parcel, std::uint32_t segment, std::span<std::byte> buffer,
                         Instant now);

  EndpointState& state_;
  DatagramWriter& writer_;
  const InFlight& in_flight_;
  std::uint64_t posted_ = 0;              ///< 0: nothing is on its way
  std::vector<OutgoingParcel> outgoing_;  ///< each rank's successor first
  std::size_t turn_ = 0;                  ///< of outgoing_
  Pace pace_;
  Instant blocked_until_{};  ///< nobody may be sent anything until then
  std::uint64_t taken_ = 0;  ///< the last number that was taken
  std::map<Rank, IncomingParcel> incoming_;
  Instant superstep_at_ = never;  ///< when the last one began
  Duration superstep_{0};         ///< how long they take
};

}  // namespace lbsp::transport
