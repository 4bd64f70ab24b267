#pragma once

#include <vector>

#include "transport/bytes.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Checks what every Exchange demands of its arguments; throws UsageError that names the broken rule.
void check_outgoing(const std::vector<Bytes>& outgoing, Rank size);
/// For the destinations and the sources of reply().
void check_ranks(const std::vector<Rank>& ranks, Rank own, Rank size);

}  // namespace lbsp::transport
