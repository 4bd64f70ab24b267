#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lbsp::estimate {

/// Whether this is a run that is described by hand: as a graph of arcs, or as supersteps (docs/trace.md).
bool is_described_run(const nlohmann::json& file);

/// Its answer: "seconds", "path" and "slack". Throws UsageError, which names the file and the place, or
/// std::invalid_argument.
nlohmann::ordered_json estimate_described(const nlohmann::json& file, const std::string& name);

}  // namespace lbsp::estimate
