#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace lbsp {

/// Leaves new elements uninitialised, so that a receive buffer of a gigabyte costs no pass over its memory
/// before the first datagram arrives.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };

  template <class U>
  void construct(U* place) noexcept(std::is_nothrow_default_constructible_v<U>) {
    ::new (static_cast<void*>(place)) U;
  }

  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

/// An owned byte string. `Bytes(n)` and `resize(n)` leave the new bytes uninitialised.
using Bytes = std::vector<std::byte, UninitializedAllocator<std::byte>>;

}  // namespace lbsp
