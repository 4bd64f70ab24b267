#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/queues/arrival_gauge.hpp"
#include "transport/rate/carried_rounds.hpp"
#include "transport/rate/downlink_drain.hpp"
#include "transport/rate/downlink_loss.hpp"
#include "transport/rate/hidden_queue.hpp"
#include "transport/rate/met_queues.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Finds the rate of all that comes to a rank from other hosts, where its downlink is what limits it: there the
/// datagrams of several peers meet a queue at the same time, and many of them are dropped. As long as it has not been
/// so, there is no such rate.
///
/// What arrives while a queue stands is what the link carries. That much may come, less what makes the queue shorter
/// again in some round trips; and a little more with each round without one. No more than a fifth is ever held back
/// from what has arrived: delays that vary look like a queue, and would cost that at most, for as long as it takes to
/// see that the queue does not become shorter.
///
/// A flood may also be told by its drops alone, before anything is known of the link (FirstFlood). Then its queue is
/// emptied: delays become shorter than they were ever seen. If they do not, it was none.
///
/// A queue that is never empty is not seen, as it is measured from its least. So if much more is lost under such a rate
/// than before it, less may come for some rounds: if the loss stays, it is the paths' own.
class Downlink {
 public:
  /// A datagram of data from another host.
  struct Arrival {
    Rank peer;               ///< or its host: what is several if it differs …
    std::uint32_t path = 0;  ///< … and its way, from one rank to another
    std::size_t bytes;
    const ArrivalGauge::Seen* seen;  ///< if it is the newest of its peer, else none
    Duration round_trip;             ///< of its path, the least
  };
  /// What is known beside it.
  struct Context {
    std::size_t datagram_bytes;
    double usual_loss;    ///< until more is known
    bool may_begin;       ///< there may be a rate from now on
    BytesPerSecond most;  ///< there is no rate above it
    double senders = 0;   ///< peers of which something is awaited
  };

  /// Whether a round is whole with it, and is to be judged before the next datagram. Only then does what else is known
  /// matter, which takes longer to find out than all that is done for each datagram.
  bool arrived(const Arrival& arrival, Instant now);
  /// The round that `last` has ended. flooded() and rate() may have changed with it.
  void judge(const Arrival& last, const Context& context, Instant now);

  /// So much of all that is sent to this rank is lost, and so much comes, although there is no rate. Whether there is
  /// one from now on.
  bool flooded_at_first(double loss, BytesPerSecond carried, const Context& context, Instant now);

  /// What the peers together may send from now on; nullopt: as much as they like.
  std::optional<BytesPerSecond> rate(Instant now) const;
  /// Whether there is a rate, and many datagrams were dropped before a queue that stood, in the last round.
  bool flooded() const { return rate_ && drops_; }
  /// Whether it is in the last round that there came to be a rate.
  bool begun() const { return begun_; }
  /// Of datagrams that came while no queue stood.
  double own_loss() const { return loss_.known() ? loss_.own() : 0; }
  /// Whether no queue stood in the last round.
  bool clear() const { return clear_; }

 private:
  /// What has arrived in half a round trip.
  struct Round {
    Instant begun{};
    Instant last{};
    Rank first_peer = -1;
    bool several = false;  ///< peers
    double bytes = 0;      ///< after the first datagram
    Duration longest{0};   ///< queue that any has met
    std::uint64_t samples = 0;
    std::uint64_t datagrams = 0;
    std::uint64_t arrived = 0;
  };

  /// What a whole round has shown; seconds, and bytes per second.
  struct Shown {
    double round_trip;
    double lasted;     ///< the round
    double queue;      ///< that was met
    double mistaken;   ///< by which queues have turned out longer than they seemed
    double arriving;   ///< of all that was sent to here …
    double one_more;   ///< … and the part of it that a datagram or two are
    double datagrams;  ///< sent …
    double loss;       ///< … and of them
    bool slow;         ///< the link carries few datagrams in a round trip
    bool busy;         ///< it carried nearly as much as lately
    // What follows from these:
    double tolerated = 0;     ///< a longer queue stands
    double coming = 0;        ///< arriving, as if the paths lost nothing themselves
    bool stands = false;      ///< a queue
    bool drops_some = false;  ///< that of a slow link does
    bool suspect = false;     ///< more is lost than without a queue
    bool hidden = false;      ///< there is a queue that is full, and not seen
    bool own_only = false;    ///< what seemed to be such a queue is the paths' own loss
  };

  /// Nothing but drops says that there is a rate, or the queue that made them is still to become empty.
  struct First {
    Instant at;
    double carried;       ///< then
    bool shown = false;   ///< a queue
    double mistaken = 0;  ///< seconds by which queues have turned out longer than they seemed
  };

  void begin_round(Rank first, Instant now);
  Shown end_round(const Arrival& last, std::size_t datagram_bytes, Instant now);
  void judge_queue(Shown& shown, std::size_t datagram_bytes);
  void judge_drops(const Shown& shown);
  void begin_burst();
  bool begins(bool hidden, const Context& context, Instant now) const;
  void begin_rate(double coming, Instant now);
  bool proves_first(const Shown& shown, Duration round_trip, Instant now);
  bool drains(double mistaken, Duration round_trip, const Context& context, Instant now);
  bool in_vain(double coming);
  void shorten(const Shown& shown);
  void rise();
  void allow_for(double queue);
  void doubt(Instant now);

  std::optional<Round> round_;
  MetQueues met_;
  std::optional<double> rate_;  ///< bytes per second, as all that follow
  CarriedRounds carried_;       ///< what arrived in rounds that used the rate
  CarriedRounds limited_;       ///< in those in which a queue kept the link busy
  DownlinkLoss loss_;
  double bytes_so_far_ = 0;  ///< that have arrived by this link
  double variation_ = 0;     ///< of delays, in seconds: that no queue explains
  bool clear_ = true;
  bool begun_ = false;
  bool drops_ = false;
  int flooded_rounds_ = 0;  ///< ten for each of late, less one for each round since
  int empty_rounds_ = 0;
  int idle_rounds_ = 0;  ///< in which a queue stood and little came
  HiddenQueue hidden_;
  std::optional<First> first_;
  DownlinkDrain drain_;
  bool proven_ = false;   ///< a first flood's queue has become shorter than any that had been seen
  double others_ = 0;     ///< seconds of queue that stand elsewhere
  Duration doubt_{0};     ///< there is no rate for so long …
  Instant doubted_at_{};  ///< … since then
};

}  // namespace lbsp::transport
