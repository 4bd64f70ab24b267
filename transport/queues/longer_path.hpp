#pragma once

#include <cstdint>
#include <optional>

#include "transport/queues/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Tells where a path has become longer, as after a change of routes. That looks like a queue which no rate makes
/// shorter, until the least delay of before is forgotten. But it came at once, it stays much the same for a second and
/// some round trips, and no more is lost than before, nor once more is sent. Where a few datagrams take a shorter way
/// than the others, as where routes are divided packet by packet, and had passed for the path, it stays exactly the
/// same, however much less is sent.
class LongerPath {
 public:
  /// Takes what an echo says of the path's queue, as its delay shows it. `round_trip`: the least.
  void note(const QueueSample& sample, Duration round_trip);

  /// By so much; 0: it has not.
  Duration longer() const { return longer_; }

 private:
  void note_usual(double loss);
  void note_standing(double sent, double loss, double rate);
  bool lasts(double variation) const;
  void believe();
  void check(double sent, double loss, Instant now);

  Duration longer_{0};
  Instant window_begun_{};
  Duration last_{0};
  Duration least_ = Duration::max();  ///< queue in the window that two in a row have met
  std::uint64_t sent_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t bytes_ = 0;
  int samples_ = 0;
  int short_samples_ = 0;             ///< that met less than half of what the path has become longer by
  std::optional<double> usual_loss_;  ///< of windows in which no queue seemed to stand
  int windows_ = 0;                   ///< in a row in which one seemed to …
  Duration shortest_{0};              ///< … and the least and the most of them
  Duration longest_{0};
  double least_rate_ = 0;  ///< likewise, bytes per second that were sent
  double most_rate_ = 0;
  double standing_sent_ = 0;  ///< datagrams in them
  double standing_lost_ = 0;
  double believed_loss_ =
      0;  ///< when the path was last believed to be longer; of the last windows since then: …
  double sent_since_ = 0;
  double lost_since_ = 0;
  Duration doubt_{0};  ///< how long nothing is believed after a mistake
  Instant doubted_until_{};
};

}  // namespace lbsp::transport
