#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <type_traits>

#include "lbsp/collectives/operation_check.hpp"
#include "lbsp/superstep/messages/layout.hpp"

namespace lbsp {

/// A type whose values are sent as they lie in memory.
template <class T>
concept Transferable = std::is_trivially_copyable_v<T> && alignof(T) <= superstep::alignment;

/// Such a value that a call takes by value. Arrays are for the calls that take ranges, though by value they are
/// pointers, which mean nothing to other ranks.
template <class T>
concept TransferableAlone = Transferable<T> && !std::ranges::range<T> && !std::is_pointer_v<T>;

/// An array of such values: a std::vector, std::array, std::span or C array.
template <class R>
concept TransferableRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    Transferable<std::ranges::range_value_t<R>>;

namespace collectives {

/// An operation on arrays, and the number by which the ranks compare theirs (operation_check.hpp).
struct Combine {
  /// out[i] = left[i] ∘ right[i] for `count` elements; `out` may be `left` or `right`.
  std::function<void(const std::byte* left, const std::byte* right, std::byte* out, std::size_t count)> apply;
  std::uint32_t check = superstep::no_check;

  void operator()(const std::byte* left, const std::byte* right, std::byte* out, std::size_t count) const {
    apply(left, right, out, count);
  }
};

template <class T, class Operation>
Combine combine_with(Operation& operation) {
  const auto apply = [&operation](const std::byte* left, const std::byte* right, std::byte* out,
                                  std::size_t count) {
    const auto* const a = reinterpret_cast<const T*>(left);
    const auto* const b = reinterpret_cast<const T*>(right);
    auto* const c = reinterpret_cast<T*>(out);
    for (std::size_t i = 0; i < count; ++i)
      c[i] = operation(a[i], b[i]);
  };
  return {apply, operation_check<T>(operation)};
}

/// The values of a vector in place, and the size of one of them.
struct Vector {
  std::span<std::byte> bytes;
  std::size_t element_bytes = 1;

  std::size_t count() const { return bytes.size() / element_bytes; }
};

/// As it is compared between the ranks.
inline std::uint32_t element_bytes_of(const Vector& values) {
  return static_cast<std::uint32_t>(values.element_bytes);
}

template <class R>
Vector vector_of(R&& values) {
  return {std::as_writable_bytes(std::span(values)), sizeof(std::ranges::range_value_t<R>)};
}

}  // namespace collectives
}  // namespace lbsp
