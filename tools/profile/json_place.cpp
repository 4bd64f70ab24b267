#include "tools/profile/json_place.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "transport/error.hpp"

namespace lbsp::profile {

using nlohmann::json;

JsonPlace::JsonPlace(const json& value, const JsonPlace& parent, const std::string& step)
    : value_(&value), source_(parent.source_), path_(parent.path_ + step) {}

JsonPlace JsonPlace::member(const char* key, const char* advice) const {
  const auto found = find(key);
  if (found) return *found;
  throw UsageError(
      fmt::format("{}: {}{}{} is missing: {}", *source_, path_, path_.empty() ? "" : ".", key, advice));
}

std::optional<JsonPlace> JsonPlace::find(const char* key) const {
  if (!value_->is_object()) fail("give an object, { … }");
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonPlace(*found, *this, fmt::format("{}{}", path_.empty() ? "" : ".", key));
}

std::vector<JsonPlace> JsonPlace::items() const {
  if (!value_->is_array()) fail("give a list, [ … ]");
  std::vector<JsonPlace> items;
  for (const json& item : *value_)
    items.push_back(JsonPlace(item, *this, fmt::format("[{}]", items.size())));
  return items;
}

std::string JsonPlace::text() const {
  if (!value_->is_string()) fail("give a text");
  return value_->get<std::string>();
}

bool JsonPlace::truth() const {
  if (!value_->is_boolean()) fail("give true or false");
  return value_->get<bool>();
}

double JsonPlace::number() const {
  if (!value_->is_number()) fail("give a number");
  const auto number = value_->get<double>();
  if (!std::isfinite(number)) fail("give a number that a double holds");
  return number;
}

double JsonPlace::number_of_at_least(double least) const {
  const double value = number();
  if (value < least) fail(fmt::format("give {} or more", least));
  return value;
}

double JsonPlace::number_within(double least, double most) const {
  const double value = number();
  if (value < least || value > most) fail(fmt::format("give a number from {:g} to {:g}", least, most));
  return value;
}

double JsonPlace::fraction() const {
  const double value = number();
  if (value < 0 || value >= 1) fail("give a fraction of at least 0 and less than 1");
  return value;
}

double JsonPlace::probability() const {
  const double value = number();
  if (value < 0 || value > 1) fail("give a fraction from 0 to 1");
  return value;
}

std::int64_t JsonPlace::whole_number(std::int64_t least, std::int64_t most) const {
  const bool fits = value_->is_number_unsigned()
                        ? value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                        : value_->is_number_integer();
  if (!fits || value_->get<std::int64_t>() < least || value_->get<std::int64_t>() > most)
    fail(fmt::format("give a whole number from {} to {}", least, most));
  return value_->get<std::int64_t>();
}

std::string JsonPlace::quoted() const {
  constexpr std::size_t longest = 40;
  std::string text = value_->dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

void JsonPlace::fail(const std::string& advice) const {
  // The beginning of a whole object would not tell which of its members is meant.
  if (path_.empty() && value_->is_object()) throw UsageError(fmt::format("{}: {}", *source_, advice));
  throw UsageError(
      fmt::format("{}: {} is {}: {}", *source_, path_.empty() ? "the whole" : path_, quoted(), advice));
}

}  // namespace lbsp::profile
