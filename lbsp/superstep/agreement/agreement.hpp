#pragma once

#include <cstdint>
#include <span>

#include "lbsp/superstep/agreement/slot_table.hpp"
#include "lbsp/superstep/agreement/wording.hpp"
#include "lbsp/superstep/messages/layout.hpp"
#include "lbsp/superstep/messages/message_reader.hpp"

namespace lbsp::superstep {

/// Checks that all ranks have ended the superstep alike and made the same collective calls in it; `slots` learns what
/// they have registered. `messages` are those of all ranks to `rank`. Throws UsageError, which says what two of them
/// did, if they differ.
void check_agreement(std::span<const Message> messages, Rank rank, Ending ending, SlotTable& slots,
                     const Wording& wording);

}  // namespace lbsp::superstep
