#pragma once

#include <utility>
#include <vector>

#include "model/superstep/amounts.hpp"
#include "model/superstep/prediction.hpp"

namespace lbsp::model::superstep {

/// The protections chosen for one superstep, which also serve others that are nearly alike.
class Choice {
 public:
  /// Searches the protections for which the time line predicts the shortest superstep. Of those within 0.1 %
  /// it takes about the ones that send least. It begins with what theory recommends and goes on to neighbours
  /// as long as they are better: some 5 predictions for each kind of short messages, 10 to 20 for long ones.
  /// The superstep is rounded() and coarse(), if the choice is to serve others.
  Choice(const Superstep& superstep, const Means& means, const Protocol& protocol);
  /// Chosen by somebody else.
  Choice(Superstep superstep, std::vector<Protection> protection)
      : superstep_(std::move(superstep)), protection_(std::move(protection)) {}

  const Superstep& superstep() const { return superstep_; }
  /// One for each of superstep().messages.
  const std::vector<Protection>& protection() const { return protection_; }
  /// The protection of one message on its own path, which is rounded(). It is as likely to be enough there,
  /// for the message's length, as that of its kind is on the path that the choice was made for. But 1.5 times
  /// as many failures are tolerated.
  Protection adapted(int segments, const Path& path, const Protocol& protocol) const;

 private:
  Superstep superstep_;
  std::vector<Protection> protection_;
};

/// The best protection for each of superstep.messages. A rank that has measured this path to all others plans
/// it, `lbsp tune` advises it, and the choice of a collective's variant assumes it.
std::vector<Protection> best_protection(const Superstep& superstep, const Means& means,
                                        const Protocol& protocol);

}  // namespace lbsp::model::superstep
