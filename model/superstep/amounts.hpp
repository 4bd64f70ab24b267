#pragma once

#include <vector>

#include "model/superstep/protocol.hpp"
#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

/// The means of protection that may be chosen.
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
  /// Whether copies are worth a trial too. From eight segments on, coded segments do with less what copies
  /// do.
  bool may_copy(const Messages& kind) const;
  /// The protection with which a search begins: so many coded segments that one more is not worth its time,
  /// or usual_copies().
  Protection usual(const Messages& kind) const;
  /// So many copies that one more costs as much time as it saves. It saves a round trip if all others are
  /// lost.
  Protection usual_copies(const Messages& kind) const;
  /// The values of r to try, ascending: from what losses take on average to 8 deviations more …
  std::vector<int> coded(const Messages& kind) const;
  /// … and those of k.
  std::vector<int> copies() const;
  /// How many amounts in a row may be worse before the search in that direction ends. Runs of losses make some
  /// no better than the last.
  int patience() const { return dispersion_ > 1 ? 4 : 2; }

 private:
  double usual_deviations(const Messages& kind) const;
  double spread(const Messages& kind) const;
  int coded_segments(const Messages& kind, double deviation) const;

  const Superstep& superstep_;
  Means means_;
  Limits limits_;
  double dispersion_;  ///< of the number of losses
  double exposed_;     ///< of what is sent, the share that goes in the last round trip
};

/// What theory recommends for each of superstep.messages. It needs no search, and is nearly as good as what a
/// search finds.
std::vector<Protection> usual_protection(const Superstep& superstep, const Means& means,
                                         const Protocol& protocol);

}  // namespace lbsp::model::superstep
