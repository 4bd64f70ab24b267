#pragma once

#include <string>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::launch::places {

/// `rank 3`, `ranks 1, 4`, `ranks 0, 1, 2 and 5 others`.
std::string name_ranks(const std::vector<Rank>& ranks);

}  // namespace lbsp::launch::places
