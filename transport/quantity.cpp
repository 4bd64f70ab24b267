#include "transport/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <span>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Largest first, as formatting looks for the first that fits.
constexpr std::array<Unit, 6> time_units{{{"h", 3'600'000'000'000},
                                          {"min", 60'000'000'000},
                                          {"s", 1'000'000'000},
                                          {"ms", 1'000'000},
                                          {"us", 1'000},
                                          {"ns", 1}}};
constexpr std::array<Unit, 4> decimal_time_units{
    {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};
constexpr std::array<Unit, 4> bit_rate_units{
    {{"Gbit", 1'000'000'000}, {"Mbit", 1'000'000}, {"kbit", 1'000}, {"bit", 1}}};
constexpr std::array<Unit, 4> byte_rate_units{
    {{"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1'000}, {"B", 1}}};
constexpr std::array<Unit, 5> binary_size_units{{{"TiB", std::uint64_t{1} << 40},
                                                 {"GiB", std::uint64_t{1} << 30},
                                                 {"MiB", std::uint64_t{1} << 20},
                                                 {"KiB", std::uint64_t{1} << 10},
                                                 {"B", 1}}};
constexpr std::array<Unit, 4> decimal_size_units{
    {{"TB", 1'000'000'000'000}, {"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1'000}}};

/// No network is slower or faster; what a rate takes for a datagram, or sends in a nanosecond, stays far
/// within what is reckoned with.
constexpr double least_network_rate = 1.0 / 8;
constexpr double most_network_rate = 1e15 / 8;

struct Split {
  std::string_view number;
  std::string_view unit;
};

Split split(std::string_view text) {
  const auto end = std::min(text.find_first_not_of("0123456789."), text.size());
  return {text.substr(0, end), text.substr(end)};
}

std::optional<double> decimal(std::string_view number) {
  double value = 0;
  const auto* last = number.data() + number.size();
  const auto [end, error] = std::from_chars(number.data(), last, value, std::chars_format::fixed);
  if (error != std::errc{} || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == units.end() ? nullptr : &*found;
}

// number · factor, at most `ceiling`, to the nearest. The whole part apart, as a double would lose digits of
// it.
std::optional<std::uint64_t> scaled(std::string_view number, std::uint64_t factor, std::uint64_t ceiling) {
  if (!decimal(number)) return std::nullopt;
  const auto point = std::min(number.find('.'), number.size());
  std::uint64_t whole = 0;
  if (point > 0) {
    const auto error = std::from_chars(number.data(), number.data() + point, whole).ec;
    if (error != std::errc{} || whole > ceiling / factor) return std::nullopt;
  }
  const double fraction = decimal(number.substr(point)).value_or(0);
  const auto rest = static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(factor)));
  if (rest > ceiling - whole * factor) return std::nullopt;
  return whole * factor + rest;
}

[[noreturn]] void reject(std::string_view text, std::string_view what, std::string_view advice) {
  throw UsageError(fmt::format("'{}' is not {}: write {}", text, what, advice));
}

std::string shortest(double value) {
  std::array<char, 400> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), result.ptr};
}

// The value in the first unit of which it is at least one, else in the last.
template <class Units>
std::string rounded(double value, const Units& units, int digits) {
  const Unit* chosen = &units.back();
  for (const Unit& unit : units) {
    if (value >= static_cast<double>(unit.factor)) {
      chosen = &unit;
      break;
    }
  }
  const double scaled_value = value / static_cast<double>(chosen->factor);
  if (scaled_value >= 9999.5) return fmt::format("{:.0f} {}", scaled_value, chosen->name);
  return fmt::format("{:.{}g} {}", scaled_value, std::max(digits, scaled_value >= 999.5 ? 4 : 3),
                     chosen->name);
}

}  // namespace

double parse_fraction(std::string_view text) {
  const auto [number, unit] = split(text);
  const auto value = decimal(number);
  const double fraction = value.value_or(0) / (unit == "%" ? 100 : 1);
  if (!value || (!unit.empty() && unit != "%") || fraction > 1) {
    reject(text, "a fraction from 0 to 1", "a percentage such as 10%, or 0.1");
  }
  return fraction;
}

Duration parse_duration(std::string_view text) {
  constexpr auto what = "a time";
  constexpr auto advice = "a number and a unit (ns, us, ms, s, min, h), such as 70ms or 1.5s";
  if (text == "0") return Duration::zero();
  const auto [number, name] = split(text);
  const Unit* unit = find_unit(time_units, name);
  if (unit == nullptr) reject(text, what, advice);
  const auto ceiling = static_cast<std::uint64_t>(std::numeric_limits<Duration::rep>::max());
  const auto count = scaled(number, unit->factor, ceiling);
  if (!count) reject(text, what, advice);
  return Duration{static_cast<Duration::rep>(*count)};
}

BytesPerSecond parse_rate(std::string_view text) {
  const auto [number, name] = split(text);
  const auto value = decimal(number);
  const Unit* bits = find_unit(bit_rate_units, name);
  const Unit* unit = bits != nullptr ? bits : find_unit(byte_rate_units, name);
  const double rate =
      value && unit != nullptr ? *value * static_cast<double>(unit->factor) / (bits != nullptr ? 8 : 1) : 0;
  if (rate >= least_network_rate && rate <= most_network_rate) return {rate};
  reject(text, "a rate",
         "a number and a unit per second (bit, kbit, Mbit, Gbit, B, kB, MB, GB), such as 100Mbit or 17.5MB, "
         "from 1bit to 1000000Gbit");
}

std::uint64_t parse_size(std::string_view text) {
  const auto [number, name] = split(text);
  const Unit* unit = find_unit(binary_size_units, name.empty() ? "B" : name);
  if (unit == nullptr) unit = find_unit(decimal_size_units, name);
  const auto size = unit == nullptr ? std::nullopt
                                    : scaled(number, unit->factor, std::numeric_limits<std::uint64_t>::max());
  if (!size) {
    reject(text, "a size",
           "a number and a unit (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), such as 64KiB or 1500B");
  }
  const std::size_t point = number.find('.');
  const bool divides_a_byte = unit->factor == 1 && point != std::string_view::npos &&
                              number.find_first_not_of('0', point + 1) != std::string_view::npos;
  if (divides_a_byte) reject(text, "a whole number of bytes", "1500B, or 1.5KiB");
  return *size;
}

std::string format_fraction(double value) {
  auto percentage = fmt::format("{:.6g}%", value * 100);
  if (percentage.find('e') == std::string::npos && parse_fraction(percentage) == value) return percentage;
  return shortest(value);
}

std::string format_duration(Duration value) {
  if (value < Duration::zero()) return fmt::format("-{}", format_duration(-value));
  const auto count = static_cast<std::uint64_t>(value.count());
  if (count == 0) return "0s";
  for (const Unit& unit : time_units) {
    if (count < unit.factor) continue;
    const bool sexagesimal = unit.factor >= 60'000'000'000;
    if (sexagesimal && count % unit.factor != 0) continue;
    auto fraction =
        fmt::format("{:0{}}", count % unit.factor, sexagesimal ? 1 : std::to_string(unit.factor).size() - 1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return fmt::format("{}{}{}{}", count / unit.factor, fraction.empty() ? "" : ".", fraction, unit.name);
  }
  return {};
}

std::string format_rate(BytesPerSecond value) {
  const double bits = value.value * 8;
  for (const Unit& unit : bit_rate_units) {
    if (bits < static_cast<double>(unit.factor)) continue;
    auto text = fmt::format("{:.9g}{}", bits / static_cast<double>(unit.factor), unit.name);
    if (text.find('e') == std::string::npos && parse_rate(text) == value) return text;
  }
  return shortest(bits) + "bit";
}

std::string format_size(std::uint64_t value) {
  const auto* unit = &binary_size_units.back();
  for (const Unit& candidate : binary_size_units) {
    if (value >= candidate.factor && value % candidate.factor == 0) {
      unit = &candidate;
      break;
    }
  }
  return fmt::format("{}{}", value / unit->factor, unit->name);
}

std::string format_duration(Duration value, int digits) {
  return rounded(static_cast<double>(value.count()), decimal_time_units, digits);
}

std::string format_rate(BytesPerSecond value, int digits) {
  return rounded(value.value * 8, bit_rate_units, digits) + "/s";
}

std::string format_size(std::uint64_t value, int digits) {
  return rounded(static_cast<double>(value), binary_size_units, digits);
}

}  // namespace lbsp::transport
