#pragma once

#include "transport/membership/member_set.hpp"

namespace lbsp::transport {

/// Whether those who are present may go on for all members: more than half of them, or half with the lowest slot. No
/// two such sets of the same members are without a common one, so that of a split world one side goes on at most.
bool has_quorum(const MemberSet& present, const MemberSet& members);

/// How many of `size` members, whichever they are, may be lost at once so that the others go on.
Slot survives_any(Slot size);

}  // namespace lbsp::transport
