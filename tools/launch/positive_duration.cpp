#include "tools/launch/positive_duration.hpp"

#include <fmt/format.h>

#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch {

transport::Duration positive_duration(const std::string& text, const char* option) {
  try {
    const auto value = transport::parse_duration(text);
    if (value > transport::Duration::zero()) return value;
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{} {}", option, error.what()));
  }
  throw UsageError(fmt::format("{} {}: choose more than 0", option, text));
}

}  // namespace lbsp::launch
