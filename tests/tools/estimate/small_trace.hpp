#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lbsp::test {

/// A line of a trace: of one superstep of a rank, or of its end if `superstep` is null.
nlohmann::json trace_line(int rank, const nlohmann::json& superstep);

/// Two ranks and two supersteps. Rank 1 computes for 3 s in the first, and sends rank 0 a megabyte.
std::vector<nlohmann::json> small_trace();

std::string text_of(const std::vector<nlohmann::json>& lines);

}  // namespace lbsp::test
