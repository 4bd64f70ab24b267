#pragma once

#include <vector>

#include "transport/peers/peers.hpp"
#include "transport/units.hpp"
#include "transport/wire/message_id.hpp"

namespace lbsp::transport {

/// What this rank awaits: the leg that it is in, or was in last, and which of its messages have arrived.
class Legs {
 public:
  /// `end_on_arrival`: a leg is over when all that it awaits has arrived. Otherwise complete() ends it.
  Legs(Peers& peers, bool end_on_arrival) : peers_(peers), end_on_arrival_(end_on_arrival) {}

  /// Messages go to `destinations`, and one is awaited from each of `sources`. It may have arrived already,
  /// because a peer may be ahead by a superstep.
  void begin(MessageId id, const std::vector<Rank>& destinations, const std::vector<Rank>& sources,
             Instant now);
  /// A message has arrived whole.
  void arrived(Peer& from, MessageId id);
  /// Every message of the leg has arrived, and this rank need not wait any more.
  void complete();
  /// Nothing of the leg is awaited any more.
  void abandon();

  MessageId id() const { return id_; }
  const std::vector<Rank>& destinations() const { return destinations_; }
  const std::vector<Rank>& sources() const { return sources_; }
  /// Whether the leg is not over.
  bool active() const { return active_; }
  bool all_arrived() const { return awaited_ == 0; }
  /// The sources whose message is not complete.
  std::vector<Rank> awaited() const;
  /// Every message to this rank before this one has arrived.
  MessageId position() const { return position_; }
  bool is_past(MessageId id) const { return id < position_; }

 private:
  Peers& peers_;
  bool end_on_arrival_;
  MessageId id_;
  MessageId position_;
  bool active_ = false;
  Rank awaited_ = 0;  ///< sources whose message is not complete
  std::vector<Rank> destinations_;
  std::vector<Rank> sources_;
};

}  // namespace lbsp::transport
