#pragma once

#include <cstddef>
#include <span>

#include "lbsp/superstep/agreement/slot_table.hpp"
#include "lbsp/superstep/messages/message_reader.hpp"
#include "lbsp/superstep/messages/offers.hpp"

namespace lbsp::superstep {

/// The registered memory here that a put or get of another rank names. The caller has checked the transfer
/// against the sizes that it knows; a transfer made in the superstep of the registration can only be checked
/// here. Throws UsageError with both ranks and the numbers if it is out of range, and Error if there is no
/// such slot.
std::span<std::byte> target_of(const Record& record, SlotTable& slots, const Origin& origin, Rank here);

/// Writes the puts of `message` into registered memory, fetches what it offers there, and files its sends with their
/// queues. Throws as target_of() and Offers::fetch() do.
void deliver(const Message& message, SlotTable& slots, Rank here, Offers& offers);

}  // namespace lbsp::superstep
