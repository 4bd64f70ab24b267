#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace lbsp::algorithms {

/// A number that keys can be: any integer of at most 64 bits, float or double.
template <class K>
concept NumberKey = (std::integral<K> && !std::same_as<K, bool> && sizeof(K) <= sizeof(std::uint64_t)) ||
                    std::same_as<K, float> || std::same_as<K, double>;

enum class SortOrder : std::uint8_t { ascending, descending };

/// Floating-point numbers as unsigned integers of the same size whose order is a total one:
///   ascending   -∞ … -0.0, +0.0 … +∞, NaN
///   descending  +∞ … +0.0, -0.0 … -∞, NaN
/// NaN is last in both, ordered by its bits, so that equal keys are equal bits and a sorted sequence is
/// unique. Every bit pattern comes back from the inverse.
template <std::floating_point F>
class FloatOrder {
 public:
  using Bits = std::conditional_t<sizeof(F) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;

  explicit constexpr FloatOrder(SortOrder order) : descending_(order == SortOrder::descending) {}

  constexpr Bits encode(F key) const {
    const auto bits = std::bit_cast<Bits>(key);
    // From negative NaN over the numbers to positive NaN; then the negative NaN go round to the end.
    const Bits numbers_first = (bits & sign ? ~bits : bits | sign) - negative_nans;
    return turn(numbers_first);
  }

  constexpr F decode(Bits code) const {
    const Bits from_negative_nan = turn(code) + negative_nans;
    return std::bit_cast<F>(from_negative_nan & sign ? from_negative_nan & ~sign : ~from_negative_nan);
  }

  /// Encodes in place: each place holds the bits of the code instead of the number.
  void encode(std::span<F> keys) const {
    for (F& key : keys)
      key = std::bit_cast<F>(encode(key));
  }
  void decode(std::span<F> keys) const {
    for (F& key : keys)
      key = decode(std::bit_cast<Bits>(key));
  }

 private:
  static_assert(std::numeric_limits<F>::is_iec559);
  static constexpr Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
  static constexpr Bits negative_nans = (Bits{1} << (std::numeric_limits<F>::digits - 1)) - 1;
  static constexpr Bits last_number =
      (std::bit_cast<Bits>(std::numeric_limits<F>::infinity()) | sign) - negative_nans;

  /// Its own inverse.
  constexpr Bits turn(Bits code) const {
    return descending_ && code <= last_number ? last_number - code : code;
  }

  bool descending_;
};

/// Whether one key comes before another in the order above, for integers in the usual one.
template <NumberKey K>
constexpr bool comes_before(K a, K b, SortOrder order) {
  if constexpr (std::floating_point<K>) {
    const FloatOrder<K> codes(order);
    return codes.encode(a) < codes.encode(b);
  } else {
    return order == SortOrder::ascending ? a < b : b < a;
  }
}

}  // namespace lbsp::algorithms
