#pragma once

#include <algorithm>
#include <optional>

#include "transport/units.hpp"

namespace lbsp::transport {

/// How long a peer has lately kept what it had to tell, from when a datagram came until a report left that told of it.
/// Reports wait for each other, for the datagram that is leaving, and until it is worth while to say again what is
/// missing. A round trip does not include that, so who waits for an answer has to know it, too.
class AnswerHold {
 public:
  /// A report has told of something new that came so long before.
  void told(Duration held) { most_ = std::max(held, remembered() * 7 / 8); }
  /// The most of the last reports, older ones less; nullopt before the first.
  std::optional<Duration> most() const { return most_; }

 private:
  Duration remembered() const { return most_.value_or(Duration{0}); }

  std::optional<Duration> most_;
};

}  // namespace lbsp::transport
