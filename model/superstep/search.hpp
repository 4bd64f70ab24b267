#pragma once

#include <vector>

#include "model/superstep/amounts.hpp"

namespace lbsp::model::superstep {

/// Searches the protections, one for each of superstep.messages, for which the time line predicts the
/// shortest superstep. Of those within 0.1 % it takes about the ones that send least. It begins with what
/// theory recommends and goes on to neighbours as long as they are better: some 5 predictions for each kind
/// of short messages, 10 to 20 for long ones. best_protection() calls it for a rounded superstep.
std::vector<Protection> search_protection(const Superstep& superstep, const Means& means,
                                          const Protocol& protocol);

}  // namespace lbsp::model::superstep
