#pragma once

#include "transport/queues/queue_round.hpp"

namespace lbsp::transport {

/// The steps by which a bounded rate rises in rounds without a queue, and what they tell.
///
/// Everybody who sends into a queue adds the same in such a round. So when the queue begins to grow, its growth, in
/// seconds per second, rises by the sum of all steps over the link's rate. The own step over that rise is what the link
/// carries for each: its rate over the number of those who send. Who has more goes on with less than what came through
/// once the queue has left, and who has much less goes on with a little more; alone, the share is all of it.
class EqualSteps {
 public:
  static constexpr double most_step = 0.25;

  /// The part of the rate to add after a round without a queue. `whole`: the rank sent at its rate all the time.
  double after(const QueueSeen& seen, bool whole, double most = most_step);
  /// A queue stands after such rounds, or after none.
  void end(const QueueSeen& seen);
  /// After a pause.
  void begin_anew();
  /// The part of what came through to go on with.
  double part_to_keep(double carried) const;

 private:
  int rounds_ = 0;  ///< since a queue stood
  /// Of the last of them; 0: none, or the rank paused.
  double last_rate_ = 0;    ///< bytes per second
  double last_growth_ = 0;  ///< of the queue, seconds per second
  /// Sums over the last queues, which fade: …
  double steps_ = 0;       ///< own steps, bytes per second …
  double growth_ = 0;      ///< … by how much the growth of the queue has risen with them, …
  double noise_ = 0;       ///< … and how much of that may be chance
  double most_noise_ = 0;  ///< … or more, by what shrinking_ tells
  int queues_ = 0;
  double shrinking_ = 0;  ///< the mean square of growth below 0 in rounds without a queue, where it is chance
};

}  // namespace lbsp::transport
