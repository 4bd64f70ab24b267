#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>

#include "transport/units.hpp"

namespace lbsp::transport {

/// What the ranks of a host have in common stands in memory that all of them see, zeros at first. Each thing has a head
/// before it.
struct RoomHead {
  std::atomic<std::uint32_t> state;  ///< nobody, somebody_makes_it, or how long the thing is

  static constexpr std::uint32_t nobody = 0;
  static constexpr std::uint32_t somebody_makes_it = 1;
};

inline constexpr std::size_t room_head_bytes = 128;
static_assert(sizeof(RoomHead) <= room_head_bytes);

/// What a T takes there with its head, a multiple of room_head_bytes.
template <class T>
constexpr std::size_t room_bytes =
    (room_head_bytes + sizeof(T) + room_head_bytes - 1) / room_head_bytes* room_head_bytes;

/// The T whose head is at `place`. Whoever comes first makes it by make(memory). nullptr if there is none of this
/// layout, or if it is not made in a second.
template <class T, class Make>
T* join_in_room(std::byte* place, Make make) {
  static_assert(alignof(T) <= room_head_bytes);
  auto& state = reinterpret_cast<RoomHead*>(place)->state;
  std::byte* const memory = place + room_head_bytes;
  std::uint32_t found = RoomHead::nobody;
  if (state.compare_exchange_strong(found, RoomHead::somebody_makes_it, std::memory_order_acquire)) {
    T* const made = make(memory);
    state.store(sizeof(T), std::memory_order_release);
    return made;
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{1};
  while (found == RoomHead::somebody_makes_it && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
    found = state.load(std::memory_order_acquire);
  }
  return found == sizeof(T) ? std::launder(reinterpret_cast<T*>(memory)) : nullptr;
}

}  // namespace lbsp::transport
