#pragma once

#include <string>

#include "transport/units.hpp"

namespace lbsp::launch::request {

/// The duration that was given for `option`. Throws UsageError, which names the option, unless it is more than 0.
transport::Duration positive_duration(const std::string& text, const char* option);

}  // namespace lbsp::launch::request
