#include "transport/rate/host_downlink.hpp"

#include <algorithm>
#include <chrono>
#include <new>

namespace lbsp::transport {
namespace {

/// Nothing is kept for a rank that has said nothing for so long.
constexpr Duration lapse_of_demand = std::chrono::seconds{1};

std::int64_t nanoseconds_at(Instant at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

}  // namespace

std::shared_ptr<HostDownlink> HostDownlink::join(const std::shared_ptr<std::byte>& room, Rank seats) {
  auto* const made =
      join_in_room<HostDownlink>(room.get() + room_bytes<HostUplink>,
                                 [seats](std::byte* memory) { return new (memory) HostDownlink(seats); });
  if (made == nullptr || made->seats() != seats) return nullptr;
  return {room, made};
}

HostDownlink::Demand HostDownlink::demand(Rank seat, const Demand& own, Instant now) {
  if (seats_ == 1) return own;
  Seat& told = by_seat_[static_cast<std::size_t>(seat)];
  told.awaited.store(own.awaited, std::memory_order_relaxed);
  told.lengths.store(own.lengths, std::memory_order_relaxed);
  told.senders.store(own.senders, std::memory_order_relaxed);
  told.granted.store(own.granted, std::memory_order_relaxed);
  told.told_at.store(nanoseconds_at(now), std::memory_order_relaxed);
  const std::int64_t since = nanoseconds_at(now - lapse_of_demand);
  Demand all = own;
  for (Rank rank = 0; rank < seats_; ++rank) {
    const Seat& other = by_seat_[static_cast<std::size_t>(rank)];
    if (rank == seat || other.told_at.load(std::memory_order_relaxed) < since) continue;
    all.awaited += other.awaited.load(std::memory_order_relaxed);
    all.lengths += other.lengths.load(std::memory_order_relaxed);
    all.senders += other.senders.load(std::memory_order_relaxed);
    all.granted += other.granted.load(std::memory_order_relaxed);
  }
  return all;
}

std::shared_ptr<std::byte> make_host_room() {
  constexpr std::align_val_t aligned{room_head_bytes};
  auto* const memory = static_cast<std::byte*>(::operator new(host_room_bytes, aligned));
  std::fill_n(memory, host_room_bytes, std::byte{});
  return {memory, [](std::byte* room) { ::operator delete(room, aligned); }};
}

}  // namespace lbsp::transport
