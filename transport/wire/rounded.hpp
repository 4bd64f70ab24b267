#pragma once

#include <bit>
#include <cstdint>

/// Numbers with a few significant bits, as they stand in an echo. Such a number is m below 2^Bits, or (2^Bits + m) x
/// 2^(e - 1) with e from 1 on; it stands as e x 2^Bits + m, so that greater ones stand as greater ones.
namespace lbsp::transport {

/// The number that stands as `code`. 64 bits must suffice.
template <int Bits>
constexpr std::uint64_t from_rounded(std::uint32_t code) {
  const std::uint32_t exponent = code >> Bits;
  const std::uint64_t mantissa = code & ((1u << Bits) - 1);
  return exponent == 0 ? mantissa : ((std::uint64_t{1} << Bits) + mantissa) << (exponent - 1);
}

/// What the largest such number stands as that is not above `value`.
template <int Bits>
constexpr std::uint32_t rounded_down(std::uint64_t value) {
  const auto width = static_cast<int>(std::bit_width(value));
  if (width <= Bits) return static_cast<std::uint32_t>(value);
  const int exponent = width - Bits;
  const std::uint64_t mantissa = (value >> (exponent - 1)) - (std::uint64_t{1} << Bits);
  return static_cast<std::uint32_t>(exponent) << Bits | static_cast<std::uint32_t>(mantissa);
}

/// … of the one nearest to `value`.
template <int Bits>
constexpr std::uint32_t rounded_to_nearest(std::uint64_t value) {
  const std::uint32_t below = rounded_down<Bits>(value);
  const std::uint64_t up = from_rounded<Bits>(below + 1) - value;
  return up <= value - from_rounded<Bits>(below) ? below + 1 : below;
}

}  // namespace lbsp::transport
