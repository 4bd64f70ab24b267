#include "tools/launch/request/positive_duration.hpp"

#include <fmt/format.h>

#include "tools/command_line/named_value.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch::request {

transport::Duration positive_duration(const std::string& text, const char* option) {
  const auto value = command_line::named_value(option, text, transport::parse_duration);
  if (value > transport::Duration::zero()) return value;
  throw UsageError(fmt::format("{} {}: choose more than 0", option, text));
}

}  // namespace lbsp::launch::request
