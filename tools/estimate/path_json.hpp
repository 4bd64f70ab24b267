#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "model/critical_path/supersteps.hpp"

namespace lbsp::estimate {

const char* name_of(model::critical_path::Kind kind);

/// The stretches of the path, with the superstep's number in `numbers`, or where that has none as it is.
nlohmann::ordered_json path_json(const model::critical_path::Estimate& estimate,
                                 std::span<const std::uint64_t> numbers);

/// By rank; null for one that does not compute.
nlohmann::ordered_json slack_json(const std::vector<double>& slack);

}  // namespace lbsp::estimate
