#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lbsp::watch {

/// What a terminal shows of a job's answer (docs/watching.md): a line about the whole, one for each rank as far as
/// `rows` suffice, those that are waited for first, and who is waited for. Throws UsageError if it is no answer.
std::string view_of(const nlohmann::json& answer, std::size_t rows);

}  // namespace lbsp::watch
