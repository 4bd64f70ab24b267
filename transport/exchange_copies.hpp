#pragma once

#include <vector>

#include "transport/bytes.hpp"
#include "transport/exchange.hpp"

namespace lbsp::transport {

/// Exchange::exchange() for a backend that lends memory: copies the messages there and out of it. `self` is this rank.
std::vector<Bytes> exchange_copies(Lending& lending, Rank self, const std::vector<Bytes>& outgoing,
                                   bool last);

}  // namespace lbsp::transport
