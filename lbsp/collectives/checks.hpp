#pragma once

#include <cstddef>

#include "lbsp/superstep/agreement/collective_call.hpp"
#include "lbsp/world.hpp"

namespace lbsp::collectives {

/// Throws UsageError unless `root` is a rank.
void check_root(const World& world, Rank root);

/// Has the next sync compare the ranks' calls; returns `world`. Throws UsageError unless the root is a rank.
World& announced(World& world, const superstep::CollectiveCall& call);

/// Throws UsageError unless there is a message for every rank.
void check_messages(const World& world, std::size_t messages);

}  // namespace lbsp::collectives
