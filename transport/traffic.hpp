#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/units.hpp"

namespace lbsp::transport {

/// What one rank has sent and received since it started. The difference of two readings belongs to the time
/// between them. Bytes are bytes of UDP payload.
struct TrafficCounters {
  std::uint64_t datagrams_sent = 0;        ///< all kinds
  std::uint64_t segments_sent = 0;         ///< data datagrams: first transmissions, copies and repairs
  std::uint64_t copies_sent = 0;           ///< of segments_sent: planned copies after the first
  std::uint64_t coded_sent = 0;            ///< of segments_sent: planned coded segments
  std::uint64_t segments_resent = 0;       ///< of segments_sent: repairs of what was taken to be lost
  std::uint64_t datagrams_received = 0;    ///< authentic and new
  std::uint64_t segments_duplicate = 0;    ///< of datagrams_received: data that had arrived before
  std::uint64_t datagrams_rejected = 0;    ///< malformed, not authentic, replayed or out of range
  std::uint64_t datagrams_overflowed = 0;  ///< came, but found the receive buffer full: told by the system
  std::uint64_t payload_bytes_sent = 0;    ///< bytes of messages handed to the exchange
  std::uint64_t near_bytes_sent = 0;       ///< of payload_bytes_sent: by memory, where others take datagrams
  std::uint64_t payload_bytes_received = 0;  ///< bytes of messages handed back
  std::uint64_t wire_bytes_sent = 0;         ///< bytes of all datagrams sent
  std::uint64_t rounds = 0;                  ///< rounds of 2τ used (round recovery only)

  TrafficCounters& operator+=(const TrafficCounters& other);
  friend TrafficCounters operator-(TrafficCounters left, const TrafficCounters& right);
  friend bool operator==(const TrafficCounters&, const TrafficCounters&) = default;
};

/// Every counter, once. Code that handles all of them (sums, messages) goes through this list, so that none
/// is forgotten.
inline constexpr std::uint64_t TrafficCounters::*all_counters[] = {
    &TrafficCounters::datagrams_sent,       &TrafficCounters::segments_sent,
    &TrafficCounters::copies_sent,          &TrafficCounters::coded_sent,
    &TrafficCounters::segments_resent,      &TrafficCounters::datagrams_received,
    &TrafficCounters::segments_duplicate,   &TrafficCounters::datagrams_rejected,
    &TrafficCounters::datagrams_overflowed, &TrafficCounters::payload_bytes_sent,
    &TrafficCounters::near_bytes_sent,      &TrafficCounters::payload_bytes_received,
    &TrafficCounters::wire_bytes_sent,      &TrafficCounters::rounds};
static_assert(sizeof(TrafficCounters) ==
              sizeof(all_counters) / sizeof(all_counters[0]) * sizeof(std::uint64_t));

/// What one rank measured of the paths to its peers. If some are on other hosts, loss, round trip and datagrams are
/// those of the paths to these.
struct NetworkMeasure {
  double loss = 0;  ///< fraction of the datagrams sent to this rank that did not arrive, one way
  std::uint64_t loss_sample = 0;  ///< the number of datagrams behind that fraction
  Duration round_trip_time{0};    ///< mean over the peers of the smoothed RTT (RFC 9002, section 5); 0: none
  BytesPerSecond bandwidth{0};    ///< the best rate at which a message arrived; 0: no message was long enough
  std::size_t shortest_datagram = 0;  ///< in use on the path that carries least, UDP payload …
  std::size_t longest_datagram = 0;   ///< … and on the path that carries most; 0: there is none
  /// At which this rank sends, set or found, and no more than its paths together have shown that they carry; 0: no
  /// rate is kept.
  BytesPerSecond rate{0};
};

/// What one rank planned for one superstep.
struct Forecast {
  Duration duration{0};  ///< how long its communication was expected to take; 0: not known
  Duration earlier{0};   ///< by how much less than that nine of ten take at least, …
  Duration later{0};     ///< … and by how much more at most, as losses fall
  int most_copies = 0;   ///< the most planned transmissions of any segment; 0: nothing was planned

  /// Adds what follows: the durations, and the spreads of times that vary independently.
  Forecast& operator+=(const Forecast& next);
};

}  // namespace lbsp::transport
