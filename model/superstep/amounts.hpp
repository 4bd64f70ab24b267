#pragma once

#include <vector>

#include "model/superstep/protocol.hpp"
#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

/// The means of protection that may be chosen from.
struct Means {
  bool copies = true;
  bool coded = true;
};

/// How much redundancy theory recommends for a superstep's messages, and which amounts are worth a trial.
class Amounts {
 public:
  /// The superstep must outlive this.
  Amounts(const Superstep& superstep, const Means& means, const Protocol& protocol);

  bool may_code(const Messages& kind) const { return means_.coded && kind.segments > 1; }
  /// Whether copies are worth a trial too: for messages of eight segments, coded ones do what copies do with
  /// less.
  bool may_copy(const Messages& kind) const;
  /// With which a search begins: so many coded segments that one more is not worth its time, or
  /// usual_copies().
  Protection usual(const Messages& kind) const;
  /// Where one copy more costs the time it takes, and spares a round trip when all so far are lost.
  Protection usual_copies(const Messages& kind) const;
  /// Rising: r from what losses take on average to 8 deviations more …
  std::vector<int> coded(const Messages& kind) const;
  /// … and k.
  std::vector<int> copies() const;
  /// How many amounts in a row may be worse before the search ends in that direction.
  int patience() const;

 private:
  double usual_deviations(const Messages& kind) const;
  double spread(const Messages& kind) const;
  int coded_segments(const Messages& kind, double deviation) const;

  const Superstep& superstep_;
  Means means_;
  Limits limits_;
  double dispersion_;   ///< of the number of losses
  double exposed_ = 1;  ///< of what is sent, the share that goes in the last round trip
};

/// What theory recommends for each of superstep.messages: nearly as good as what a search finds, and had
/// without one.
std::vector<Protection> usual_protection(const Superstep& superstep, const Means& means,
                                         const Protocol& protocol);

}  // namespace lbsp::model::superstep
