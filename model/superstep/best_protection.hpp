#pragma once

#include <vector>

#include "model/superstep/prediction.hpp"
#include "model/superstep/search.hpp"

namespace lbsp::model::superstep {

/// Protections chosen for one superstep, which serve others that are nearly alike.
class Choice {
 public:
  Choice() = default;
  /// Searches for a superstep that is rounded() and coarse().
  Choice(const Superstep& superstep, const Means& means, const Protocol& protocol);

  const Superstep& superstep() const { return superstep_; }
  /// As superstep().messages.
  const std::vector<Protection>& protection() const { return protection_; }
  /// The protection of one message on its own path, rounded(): as sure to suffice there, for its own length,
  /// as its kind's is on the path that the choice was made for; but 1.5 times as many failures are tolerated.
  Protection adapted(int segments, const Path& path, const Protocol& protocol) const;

 private:
  Superstep superstep_;
  std::vector<Protection> protection_;
};

/// The best protection for each of superstep.messages: what a rank plans that has measured this path to all
/// others, what `lbsp tune` advises, and what the choice of a collective's variant assumes.
std::vector<Protection> best_protection(const Superstep& superstep, const Means& means,
                                        const Protocol& protocol);

}  // namespace lbsp::model::superstep
