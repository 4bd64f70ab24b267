#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/paths/ecn_path.hpp"
#include "transport/queues/queue_sample.hpp"
#include "transport/queues/round_halves.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What about half a round trip's datagrams have shown of a queue; seconds, and bytes per second.
struct QueueSeen {
  double queue = 0;        ///< the least that the later half met
  double growth = 0;       ///< of the queue, in seconds per second
  double sure_growth = 0;  ///< no more than that of the least that the halves met: single datagrams are late
  double mistaken = 0;     ///< by which queues had looked shorter than they were …
  double mistaken_of_late = 0;  ///< … as the later half has shown
  double loss = 0;
  double marked = 0;  ///< part of those that arrived
  double datagrams = 0;
  double bytes = 0;
  double rate = 0;        ///< of all that the bound is for …
  double busy_rate = 0;   ///< … and without the pauses, as between supersteps
  double longest = 0;     ///< queue that any of them met
  double sending = 0;     ///< the time in which they were sent
  double between = 0;     ///< from the beginning of the earlier half to that of the later one
  Instant earlier_at{};   ///< when the datagram was sent that met the least, of the earlier half …
  Instant later_at{};     ///< … and of the later one
  double since = 0;       ///< the time from the newest one until now …
  double sent_since = 0;  ///< … and the bytes that were sent in it
  double jump = 0;        ///< by which delays change from one to the next
  double variation = 0;   ///< by which delays have become longer at once: at the most, on one of the paths
  bool several = false;   ///< each half is of datagrams to several peers
  bool flood = false;     ///< see QueueRound::flood()
};

/// Adds up what echoes tell until it makes a round: two quarters of a round trip, of what was sent after the last
/// decision.
class QueueRound {
 public:
  /// The round, if the sample ends it. The next one is of what is sent from `now` on.
  std::optional<QueueSeen> add(const QueueSample& sample, Duration round_trip, Instant now);
  /// What a burst has shown that is too short for a round, if it has filled a queue of half a round trip and 40 ms in
  /// less time than that. Half of it has to fill about half: where datagrams keep their order behind late ones, delays
  /// are nearly as long early on. The next round is then of what is sent from `now` on.
  std::optional<QueueSeen> flood(Duration round_trip, Instant now);
  /// What all datagrams of a burst have shown that is too short for a round: the queue is the longest that one met.
  std::optional<QueueSeen> burst(Instant now) const;
  /// Datagrams that were sent before do not count.
  void begin(Instant at) { *this = QueueRound(at); }
  QueueRound() = default;

 private:
  explicit QueueRound(Instant begun) : begun_(begun) {}

  struct Point {
    std::uint64_t bytes = 0;
    Duration queue{0};
  };

  void count(const QueueSample& sample);
  void note(const QueueSample& sample, Duration round_trip);
  void note_pause(const QueueSample& sample, Duration round_trip);
  QueueSeen seen(Instant now) const;
  QueueSeen seen_by_halves(Instant now) const;
  bool grows_steadily() const;

  Instant begun_{};
  std::optional<QueueSample> first_;
  QueueSample last_;
  std::uint64_t bytes_by_now_ = 0;
  std::array<Point, 16> points_{};  ///< of the first samples: what had been sent, and the queue
  RoundHalves halves_;
  std::uint64_t datagrams_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t bytes_ = 0;
  Marks marks_;
  Duration pauses_{0};
  Duration longest_{0};
  Duration mistaken_{0};
  Duration mistaken_of_late_{0};
  double jumps_ = 0;
  double variation_ = 0;
  int samples_ = 0;
};

}  // namespace lbsp::transport
