#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "transport/peers/peers.hpp"

namespace lbsp::transport {

/// Short questions among the first data to a peer of which it is not known whether datagrams of the base's length
/// arrive. If they do not, the answer to one of these is the first news of it, a round trip later; nothing else would
/// be heard before probes and reports have been in vain.
///
/// They follow the sixth, the twelfth and the twenty-fourth long datagram (NarrowPath), or the last one, if nothing
/// else is to be sent.
class EarlyQuestions {
 public:
  explicit EarlyQuestions(const Peers& peers) : peers_(peers) {}

  /// A leg has begun that sends something to this peer.
  void leg_begun(Rank peer);
  /// Whom to ask now; mostly nobody. `idle`: nothing else is to be sent.
  std::optional<Rank> due(bool idle) const;
  /// That peer is asked.
  void asked(Rank peer);

 private:
  static constexpr std::uint32_t most_questions = 3;

  struct Doubt {
    Rank peer;
    std::uint32_t questions = 0;
    std::uint64_t long_ones = 0;  ///< sent before the last question
  };

  bool settled(const Doubt& doubt) const;

  const Peers& peers_;
  std::vector<Doubt> doubts_;
};

}  // namespace lbsp::transport
