#pragma once

#include <string>

#include "transport/units.hpp"

namespace lbsp::job::endings {

/// What a rank has told of its failure, behind the rank and its host, which it does not say twice: as in "rank N ended
/// the program", or "on rank N".
std::string failure_of(Rank rank, const std::string& host, std::string told);

}  // namespace lbsp::job::endings
