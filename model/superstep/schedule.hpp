#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "model/superstep/block_repair.hpp"
#include "model/superstep/completion.hpp"
#include "model/superstep/loss_discovery.hpp"
#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

/// The rank's token bucket: what goes, goes at the rate, but for a burst after idle time.
class Link {
 public:
  explicit Link(double burst) : burst_(burst), busy_until_(-burst) {}
  double burst() const { return burst_; }
  double next(double ready) const { return std::max(ready, busy_until_); }
  /// The seconds of sending so far.
  double sent() const { return sent_; }
  struct Window {
    double ready, begin, seconds;
    /// When a share of it, from 0 to 1, has gone.
    double at(double share) const { return std::max(ready, begin + share * seconds); }
  };
  Window send(double ready, double seconds) {
    const double begin = std::max(busy_until_, ready - burst_);
    busy_until_ = begin + seconds;
    sent_ += seconds;
    return {ready, begin, seconds};
  }
  /// Takes turns with what goes meanwhile, of which `turn` seconds go in each. That ends so much later.
  Window cut_in(double ready, double seconds, double turn) {
    busy_until_ += seconds;
    sent_ += seconds;
    return {ready, ready, seconds + turn};
  }

 private:
  double burst_;
  double busy_until_;
  double sent_ = 0;
};

/// Neighbours in a rank's passes over the messages of a kind, segments or coded blocks: what happens to one
/// happens to all at about the same time.
struct SendGroup {
  int kind = 0;
  double parts = 1;           ///< segments or blocks, that one rank sends
  double weight = 1;          ///< of all ranks together
  int turn = 0;               ///< the part's last segment's place in its message
  double peers_before = 0;    ///< messages of the kind that are served before in a turn
  int blocks = 1;             ///< of a message, one sent after the other
  double block_segments = 1;  ///< data segments of each, on average
  bool is_protected = true;
  const BlockOutcome* outcome = nullptr;  ///< of a block; none: a segment

  double first_sent = 0;  ///< the message's first segment
  struct Pass {
    double sent;
    double arrived;  ///< the share that is there thanks to it
  };
  std::vector<Pass> passes;
  double heard = 0;         ///< probability that some copy has arrived of what went in all these passes
  double missing = 1;       ///< q: probability that a part is not there
  double undetected = 0;    ///< and nobody has found it lost
  double log_complete = 0;  ///< weight·ln(1-q)

  /// Parts that a repair did not complete, of which the sender learns then.
  struct Awaited {
    double time;
    double share;  ///< of the group's parts
    int attempt;   ///< repairs before, 1 or more
  };
  std::vector<Awaited> awaited;  ///< in the order of time …
  std::ptrdiff_t found = 0;      ///< … of which so many have been found

  /// What arrived thanks to passes after `sent`.
  double arrived_since(double sent) const;
  LostPart as_lost_part(const ProtectedMessages& of, double loss) const;
};

/// The seconds of sending that may go at once after idle time.
double burst_of(std::span<const Messages> kinds, const Protocol& protocol);

/// What a rank sends in a superstep, over which link, and what of it has arrived: planned sending
/// (prediction.cpp) and repairs (repairs.hpp) work on it in the order of time.
struct Schedule {
  Schedule(const Superstep& superstep, std::span<const Protection> protection, const Protocol& protocol,
           BlockOutcomes& outcomes);

  const ProtectedMessages& kind_of(const SendGroup& group) const {
    return kinds[static_cast<std::size_t>(group.kind)];
  }
  SendGroup& group(int index) { return groups[static_cast<std::size_t>(index)]; }
  /// The probability that a copy is lost, given that those before were.
  double lost(int copy) const { return copy == 0 ? path.loss : again; }
  /// A share of the group's parts, missing so far, is there.
  void arrive(SendGroup& group, double share, double time);

  std::vector<ProtectedMessages> kinds;
  double blocks = 0;           ///< coded ones, that all ranks send
  double planned_seconds = 0;  ///< to send them, with all copies or coded segments
  Path path;
  Protocol protocol;
  double again;  ///< loss of a copy after a lost one
  BlockOutcomes& outcomes;
  Link link;
  CompletionTime completion;
  /// Kind by kind, each in the order of sending. They take no longer to send than an eighth of a round trip, as far
  /// as 24 of a kind suffice.
  std::vector<SendGroup> groups;

 private:
  double largest_group(const ProtectedMessages& kind, double count) const;
  void append_segments(int kind, double ranks);
  void append_blocks(int kind, double ranks);
};

}  // namespace lbsp::model::superstep
