#pragma once

#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "transport/error.hpp"
#include "transport/json_nesting.hpp"
#include "transport/units.hpp"

/// What is in a control message, and its numbers as their types hold them. nlohmann-json's own get() casts whatever
/// number there is. All throw Error, or nlohmann's exception if the value is no number.
namespace lbsp::job {

/// Ten times what any message has.
inline constexpr int deepest_message = 32;

/// Of a text from another process. Throws Error if it nests deeper than any message, and nlohmann's exception if it is
/// no JSON.
inline nlohmann::json parse_message(std::string_view text) {
  if (nests_deeper_than(deepest_message, text))
    throw Error(
        "a control message has more lists and objects in each other than any: use the same lbsp everywhere");
  return nlohmann::json::parse(text);
}

[[noreturn]] inline void refuse_number(const nlohmann::json& value) {
  throw Error("a control message has " + (value.is_number() ? value.dump() : std::string(value.type_name())) +
              " where another number belongs: use the same lbsp everywhere");
}

template <std::integral Number>
Number whole(const nlohmann::json& value, Number least = std::numeric_limits<Number>::min(),
             Number most = std::numeric_limits<Number>::max()) {
  if (!value.is_number_integer()) refuse_number(value);
  const bool fits = value.is_number_unsigned() ? std::in_range<Number>(value.get<std::uint64_t>())
                                               : std::in_range<Number>(value.get<std::int64_t>());
  if (!fits) refuse_number(value);
  const auto number = value.get<Number>();
  if (number < least || number > most) refuse_number(value);
  return number;
}

/// One of an enumeration's values, which go from 0 to `last`.
template <class Enumeration>
Enumeration one_of(const nlohmann::json& value, Enumeration last) {
  return static_cast<Enumeration>(whole<int>(value, 0, static_cast<int>(last)));
}

inline transport::Duration duration(const nlohmann::json& value) {
  return transport::Duration{whole<transport::Duration::rep>(value)};
}

}  // namespace lbsp::job
