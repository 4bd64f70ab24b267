#pragma once

#include <vector>

#include "transport/bytes.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Checks the arguments that every Exchange takes. Throws UsageError, which names the broken rule.
void check_outgoing(const std::vector<Bytes>& outgoing, Rank size);
/// For the destinations and the sources of reply().
void check_ranks(const std::vector<Rank>& ranks, Rank own, Rank size);

}  // namespace lbsp::transport
