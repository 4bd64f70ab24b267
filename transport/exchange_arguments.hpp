#pragma once

#include <cstdint>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Checks the arguments that every Exchange takes. Throws UsageError, which names the broken rule.
void check_outgoing(const std::vector<Bytes>& outgoing, Rank size);
/// For the destinations and the sources of reply().
void check_ranks(const std::vector<Rank>& ranks, Rank own, Rank size);

/// Throws MessageTooLarge, which says what `from` sends in which superstep, and the ceiling.
[[noreturn]] void refuse_message(Rank from, Rank to, std::uint64_t bytes, std::uint64_t superstep,
                                 std::uint64_t ceiling_bytes);

}  // namespace lbsp::transport
