#include "transport/peers/legs.hpp"

namespace lbsp::transport {

void Legs::begin(MessageId id, const std::vector<Rank>& destinations, const std::vector<Rank>& sources,
                 Instant now) {
  position_ = id_ = id;
  destinations_ = destinations;
  sources_ = sources;
  active_ = true;
  awaited_ = 0;
  for (const Rank from : sources_) {
    Peer& other = peers_[from];
    other.inbound.messages.remove_if(
        [&](const IncomingMessage& old) { return old.id().superstep + 2 <= id.superstep; });
    const IncomingMessage* early = other.inbound.messages.find(id);
    other.wait.awaited = early == nullptr || !early->complete();
    other.wait.progress_at = now;
    if (other.wait.awaited) ++awaited_;
  }
  if (all_arrived() && end_on_arrival_) complete();
}

void Legs::arrived(Peer& from, MessageId id) {
  if (!active_ || id != id_ || !from.wait.awaited) return;
  from.wait.awaited = false;
  --awaited_;
  if (all_arrived() && end_on_arrival_) complete();
}

std::vector<Rank> Legs::awaited() const {
  std::vector<Rank> ranks;
  for (const Rank from : sources_)
    if (active_ && peers_[from].wait.awaited) ranks.push_back(from);
  return ranks;
}

void Legs::abandon() {
  for (const Rank from : sources_)
    peers_[from].wait.awaited = false;
  awaited_ = 0;
  active_ = false;
}

void Legs::complete() {
  active_ = false;
  switch (id_.leg) {
    case Leg::early:
      position_ = {id_.superstep, Leg::messages};
      break;
    case Leg::messages:
      position_ = {id_.superstep, Leg::replies};
      break;
    case Leg::replies:
      position_ = {id_.superstep + 1, Leg::early};
      break;
  }
}

}  // namespace lbsp::transport
