#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "transport/core/peer.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The orderly end of one rank, in which nobody leaves while another still needs its last message:
///  - draining: until every peer has acknowledged all of this rank's messages;
///  - lingering: this rank has said FIN, three times, and answers whoever still asks with FIN; until every
///    peer has said FIN too, or nothing was heard for a while. A peer's silence ends both stages, since this
///    rank itself has all it needs: a silent peer has left.
class Farewell {
 public:
  /// `say_fin(rank, at)` is to send FIN at that time.
  Farewell(const std::vector<std::unique_ptr<Peer>>& peers, Duration peer_timeout,
           std::function<void(Rank, Instant)> say_fin);

  /// All legs are complete.
  void begin(Instant now);
  /// Something changed, or the deadline has come.
  void update(Instant now);
  /// A datagram other than FIN came from a peer, which therefore still waits for something.
  void asked(Rank from, Instant now);

  bool begun() const { return stage_ != Stage::none; }
  bool done() const { return stage_ == Stage::done; }
  Instant deadline() const { return deadline_; }

 private:
  enum class Stage { none, draining, lingering, done };

  bool drained(Instant now);
  void begin_lingering(Instant now);
  Duration longest_probe_timeout() const;
  Duration silence_limit() const;
  Duration linger() const;

  const std::vector<std::unique_ptr<Peer>>& peers_;  ///< by rank; none for the own
  Duration peer_timeout_;
  std::function<void(Rank, Instant)> say_fin_;
  Stage stage_ = Stage::none;
  Instant deadline_ = never;
};

}  // namespace lbsp::transport
