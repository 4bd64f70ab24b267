#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace lbsp::algorithms {

/// The types of keys: any integer of at most 64 bits, float and double.
template <class K>
concept NumberKey = (std::integral<K> && !std::same_as<K, bool> && sizeof(K) <= sizeof(std::uint64_t)) ||
                    std::same_as<K, float> || std::same_as<K, double>;

enum class SortOrder : std::uint8_t { ascending, descending };

/// Floating-point numbers as unsigned integers of the same size, in a total order:
///   ascending   -∞ … -0.0, +0.0 … +∞, NaN
///   descending  +∞ … +0.0, -0.0 … -∞, NaN
/// NaN is last in both, ordered by its bits. So equal keys have equal bits, and a sorted sequence is unique.
/// decode() returns every bit pattern that encode() was given.
template <std::floating_point F>
class FloatOrder {
 public:
  using Bits = std::conditional_t<sizeof(F) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;

  explicit constexpr FloatOrder(SortOrder order) : descending_(order == SortOrder::descending) {}

  constexpr Bits encode(F key) const { return turn(numbers_first(std::bit_cast<Bits>(key))); }
  constexpr F decode(Bits code) const { return std::bit_cast<F>(bits_of(turn(code))); }

  /// Encodes in place: each place holds the bits of the code instead of the number.
  void encode(std::span<F> keys) const {
    for (F& key : keys)
      key = std::bit_cast<F>(numbers_first(std::bit_cast<Bits>(key)));
    turn_all(keys);
  }
  /// The order of such places.
  struct CodeLess {
    bool operator()(const F& a, const F& b) const { return std::bit_cast<Bits>(a) < std::bit_cast<Bits>(b); }
  };
  void decode(std::span<F> keys) const {
    turn_all(keys);
    for (F& key : keys)
      key = std::bit_cast<F>(bits_of(std::bit_cast<Bits>(key)));
  }

 private:
  static_assert(std::numeric_limits<F>::is_iec559);
  static constexpr int sign_place = sizeof(Bits) * 8 - 1;
  static constexpr Bits sign = Bits{1} << sign_place;
  static constexpr Bits negative_nans = (Bits{1} << (std::numeric_limits<F>::digits - 1)) - 1;
  static constexpr Bits last_number =
      (std::bit_cast<Bits>(std::numeric_limits<F>::infinity()) | sign) - negative_nans;

  /// Orders from negative NaN over the numbers to positive NaN, then moves the negative NaN to the end. Has
  /// no branch, so that the compiler can do many at once.
  static constexpr Bits numbers_first(Bits bits) {
    const Bits all_if_negative = Bits{0} - (bits >> sign_place);
    return (bits ^ (all_if_negative | sign)) - negative_nans;
  }
  static constexpr Bits bits_of(Bits code) {
    const Bits from_negative_nan = code + negative_nans;
    const Bits all_if_negative = (from_negative_nan >> sign_place) - 1;
    return from_negative_nan ^ (all_if_negative | sign);
  }

  /// Its own inverse.
  constexpr Bits turn(Bits code) const {
    return descending_ && code <= last_number ? last_number - code : code;
  }
  void turn_all(std::span<F> keys) const {
    if (!descending_) return;
    for (F& key : keys)
      key = std::bit_cast<F>(turn(std::bit_cast<Bits>(key)));
  }

  bool descending_;
};

/// Whether `a` comes before `b`: floating-point numbers in the order above, integers in the usual one.
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
