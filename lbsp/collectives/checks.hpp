#pragma once

#include <cstddef>

#include "lbsp/world.hpp"

namespace lbsp::collective {

/// Throws UsageError unless `root` is a rank.
void check_root(const World& world, Rank root);

/// Throws UsageError unless there is a message for every rank.
void check_messages(const World& world, std::size_t messages);

}  // namespace lbsp::collective
