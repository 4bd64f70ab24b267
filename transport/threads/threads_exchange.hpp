#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "transport/exchange.hpp"

namespace lbsp::transport {

/// Makes the exchanges of `size` ranks that are threads of this process; element r is rank r's. Give each to
/// one thread, which destroys it when it is done. A rank whose exchange is destroyed before finish() is lost
/// to the others, and they get PeerLost if they wait for it. With a size of 1 it is a world of one.
///
/// Messages are exchanged as between processes of one host (shared_memory_exchange.hpp), but in the heap. A wait has no
/// time limit: it ends when the message comes, a rank aborts, or the awaited rank leaves.
///
/// `max_message_bytes` as in ExchangeOptions. Throws UsageError if `size` is below 1.
std::vector<std::unique_ptr<Exchange>> make_threads_exchanges(
    Rank size, std::uint64_t max_message_bytes = std::numeric_limits<std::uint64_t>::max());

}  // namespace lbsp::transport
