#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "transport/units.hpp"

namespace lbsp::transport {

/// Reads quantities as people write them on a command line, and writes them. A number is decimal digits with
/// at most one point: no sign, no exponent, no blanks, and nothing after the unit. Anything else, or a value
/// that does not fit, throws UsageError, which quotes the text and shows a correct one.

/// Reads `10%` or `0.1`: from 0 to 1.
double parse_fraction(std::string_view text);

/// Reads `80us`, `70ms`, `1.5s`, `4min`, `2h`, also ns; a bare `0` needs no unit. To the nearest nanosecond.
Duration parse_duration(std::string_view text);

/// Reads `800kbit`, `100Mbit`, `1Gbit`, `17.5MB`: bits (bit) or bytes (B) per second, with decimal prefixes
/// k, M, G. From 1bit to 1000000Gbit.
BytesPerSecond parse_rate(std::string_view text);

/// Reads `1500B`, `64KiB`, `4GiB`, `1MB`: the prefixes k, M, G, T are powers of 1000, and Ki, Mi, Gi, Ti of
/// 1024. A bare number is bytes. To the nearest byte; a size in bytes must be a whole number.
std::uint64_t parse_size(std::string_view text);

/// Writes the shortest text in the most readable unit that reads back as exactly the same value.
std::string format_fraction(double value);
std::string format_duration(Duration value);
std::string format_rate(BytesPerSecond value);
std::string format_size(std::uint64_t value);

/// For reports: rounds to `digits` significant digits (at least 3), in the unit that leaves 1 to 999. Above the largest
/// unit all digits before the point are written: 14400 s.
std::string format_duration(Duration value, int digits);
std::string format_rate(BytesPerSecond value, int digits);
std::string format_size(std::uint64_t value, int digits);

}  // namespace lbsp::transport
