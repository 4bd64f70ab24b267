#pragma once

#include <cstdint>

#include "lbsp/collectives/variants.hpp"

namespace lbsp::collectives {

/// One number for each collective and variant, for the ranks to compare (superstep::CollectiveCall::name).
std::uint32_t kind_of(Broadcast how);
std::uint32_t kind_of(AllGather how);
std::uint32_t kind_of(Reduce how);
std::uint32_t kind_of(AllReduce how);
std::uint32_t kind_of(Scan how);

/// Of those that have one variant.
enum class Simple : std::uint8_t { gather, scatter, all_to_all };
std::uint32_t kind_of(Simple which);

}  // namespace lbsp::collectives
