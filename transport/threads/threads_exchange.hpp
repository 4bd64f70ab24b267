#pragma once

#include <memory>
#include <vector>

#include "transport/exchange.hpp"

namespace lbsp::transport {

/// The exchanges of `size` ranks that are threads of this process; element r is rank r's. Give each to one
/// thread, which destroys it when it is done: a rank whose exchange is destroyed before finish() is lost to
/// the others, which get PeerLost if they wait for it. With a size of 1 it is the world of one.
///
/// Messages are moved, nothing is sent, so of the counters only the payload bytes count. Waits have no time
/// limit of their own: they end when the message comes, a rank aborts, or the rank waited for leaves.
///
/// Throws UsageError if `size` is below 1.
std::vector<std::unique_ptr<Exchange>> make_threads_exchanges(Rank size);

}  // namespace lbsp::transport
