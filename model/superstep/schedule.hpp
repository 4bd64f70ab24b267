#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "model/superstep/completion.hpp"
#include "model/superstep/send_groups.hpp"
#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

// F with so negative a logarithm is 0.
inline constexpr double log_of_nothing = -40;

/// The rank's token bucket: what goes, goes at the rate, but for a burst after idle time.
class Link {
 public:
  explicit Link(double burst) : burst_(burst), busy_until_(-burst) {}
  double burst() const { return burst_; }
  double next(double ready) const { return std::max(ready, busy_until_); }
  struct Window {
    double ready, begin, seconds;
    /// When a share of it, from 0 to 1, has gone.
    double at(double share) const { return std::max(ready, begin + share * seconds); }
  };
  Window send(double ready, double seconds) {
    const double begin = std::max(busy_until_, ready - burst_);
    busy_until_ = begin + seconds;
    return {ready, begin, seconds};
  }

 private:
  double burst_;
  double busy_until_;
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
  std::vector<SendGroup> groups;  ///< kind by kind, each in the order of sending
};

}  // namespace lbsp::model::superstep
