#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport {

/// The lengths of questions to each peer.
using PeerQuestions = std::vector<std::pair<Rank, std::vector<std::size_t>>>;

/// The order in which they go, each as receiver and length: one peer after the other if `window` bytes hold all. Where
/// few can be asked at a time, one question to each peer after the other: first those that are likely to raise the
/// length, then what tells a narrow path.
std::vector<std::pair<Rank, std::size_t>> in_order_of_use(PeerQuestions questions, std::size_t window);

}  // namespace lbsp::transport
