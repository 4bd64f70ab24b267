#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport {

/// What happened to a datagram between one rank and another, or what was measured of their path.
struct PathEvent {
  enum class What : std::uint8_t { sent, received, lost, measured };

  What what = What::sent;
  std::uint8_t kind = 0;  ///< of the datagram, a DatagramKind of transport/wire/format.hpp
  Rank peer = 0;
  Instant at{};
  std::uint64_t number = 0;  ///< of the datagram, in its direction
  std::uint32_t bytes = 0;   ///< of UDP payload; of a lost datagram 0
  /// Of one that was received: 1 + the number of the newest datagram that the peer says has arrived there, where it
  /// had not said so before; else 0.
  std::uint64_t acknowledged = 0;
  // Of what was measured:
  Duration round_trip{0};  ///< smoothed
  Duration least{0};       ///< the least of the last round trips
  BytesPerSecond rate{0};  ///< at which this rank sends
  double loss = 0;         ///< of what goes to the peer, as it says
};

/// How many datagrams the peer has sent to this rank, up to the newest that came, and how many of them have not come.
struct PathCounts {
  Rank peer = 0;
  std::uint64_t datagrams = 0;
  std::uint64_t lost = 0;

  friend bool operator==(const PathCounts&, const PathCounts&) = default;
};

/// Keeps, for the trace of a run, what has passed between one rank and each other: the counts, and the last datagrams
/// one by one. All memory is taken at the beginning. One thread writes; any may read.
class PathLog {
 public:
  /// In a job of `size` ranks. Keeps the newest `most_events`, which may be 0.
  PathLog(Rank size, std::size_t most_events);

  void add(const PathEvent& event);
  /// Adds what was measured, unless it is about what was added last for this peer.
  void add_measured(const PathEvent& event);
  void count(const PathCounts& counts);

  /// Oldest first.
  std::vector<PathEvent> events() const;
  /// How many were older than those that are kept.
  std::uint64_t dropped() const;
  /// By peer, of those from which anything has come.
  std::vector<PathCounts> counts() const;

 private:
  struct Measured {
    Duration round_trip{0};
    Duration least{0};
    BytesPerSecond rate{0};
  };

  void put(const PathEvent& event);

  mutable std::mutex mutex_;
  std::vector<PathEvent> ring_;
  std::uint64_t added_ = 0;
  std::vector<PathCounts> counts_;  ///< by rank
  std::vector<Measured> measured_;  ///< by rank: as added last
};

}  // namespace lbsp::transport
