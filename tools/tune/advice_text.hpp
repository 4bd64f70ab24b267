#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/tune/tune.hpp"

namespace lbsp::tune {

/// The advice as one screen of text, and as JSON (docs/tuning.md lists the keys).
std::string text_of(const Advice& advice, const std::string& algorithm);
nlohmann::ordered_json json_of(const Advice& advice, const std::string& algorithm);

}  // namespace lbsp::tune
