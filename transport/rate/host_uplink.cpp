#include "transport/rate/host_uplink.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

namespace lbsp::transport {
namespace {

/// Some 50 µs. Whoever has the lock for longer does not run.
constexpr int most_tries = 2000;

/// Of a rank that says nothing more for so long, and for what so many datagrams of each rank take.
constexpr Duration lapse = std::chrono::milliseconds{100};
constexpr double lapse_bytes = 8 * 1400;

/// Of an equal part: with less, repairs and reports of a rank that has little else to send would be late.
constexpr double least_of_equal = 0.125;

std::int64_t nanoseconds_of(Instant at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

/// What stands before the uplink in memory that ranks share.
struct RoomHead {
  std::atomic<std::uint32_t> state;  ///< nobody, somebody_makes_it, or how long the uplink is
};
constexpr std::size_t head_bytes = 128;
constexpr std::uint32_t nobody = 0;
constexpr std::uint32_t somebody_makes_it = 1;
static_assert(sizeof(RoomHead) <= head_bytes && alignof(HostUplink) <= head_bytes &&
              host_uplink_room_bytes == head_bytes + sizeof(HostUplink));
constexpr Duration longest_making = std::chrono::seconds{1};

void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

HostUplink::HostUplink(Rank seats, const UplinkRate& rate)
    : published_rate_(rate.rate().value), seats_(seats), rate_(rate) {}

std::shared_ptr<HostUplink> HostUplink::join(const std::shared_ptr<std::byte>& room, Rank seats,
                                             const UplinkRate& rate) {
  auto& state = reinterpret_cast<RoomHead*>(room.get())->state;
  std::byte* const place = room.get() + head_bytes;
  std::uint32_t found = nobody;
  if (state.compare_exchange_strong(found, somebody_makes_it, std::memory_order_acquire)) {
    auto* const made = new (place) HostUplink(seats, rate);
    state.store(sizeof(HostUplink), std::memory_order_release);
    return {room, made};
  }
  const auto until = std::chrono::steady_clock::now() + longest_making;
  while (found == somebody_makes_it && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
    found = state.load(std::memory_order_acquire);
  }
  if (found != sizeof(HostUplink)) return nullptr;
  auto* const made = std::launder(reinterpret_cast<HostUplink*>(place));
  return made->seats() == seats ? std::shared_ptr<HostUplink>{room, made} : nullptr;
}

std::shared_ptr<std::byte> make_host_uplink_room() {
  constexpr std::align_val_t aligned{head_bytes};
  auto* const memory = static_cast<std::byte*>(::operator new(host_uplink_room_bytes, aligned));
  std::fill_n(memory, host_uplink_room_bytes, std::byte{});
  return {memory, [](std::byte* room) { ::operator delete(room, aligned); }};
}

bool HostUplink::lock_among_many() {
  const int tries = abandoned_.load(std::memory_order_relaxed) ? 1 : most_tries;
  for (int tried = 0; tried < tries; ++tried) {
    if (locked_.load(std::memory_order_relaxed) == 0 && locked_.exchange(1, std::memory_order_acquire) == 0) {
      if (tries == 1) abandoned_.store(false, std::memory_order_relaxed);
      return true;
    }
    pause_processor();
  }
  abandoned_.store(true, std::memory_order_relaxed);
  return false;
}

void HostUplink::publish() {
  published_rate_.store(rate_.rate().value, std::memory_order_relaxed);
  published_part_.store(rate_.part(), std::memory_order_relaxed);
  bounded_.store(rate_.bound().rate().has_value(), std::memory_order_relaxed);
  version_.fetch_add(1, std::memory_order_release);
}

void HostUplink::demand(Rank seat, double bytes, Instant now) {
  Seat& own = by_seat_[static_cast<std::size_t>(seat)];
  own.demand.store(bytes, std::memory_order_relaxed);
  own.told_at.store(nanoseconds_of(now), std::memory_order_relaxed);
}

double HostUplink::share(Rank seat, Instant now) const {
  if (seats_ == 1) return 1;
  const std::int64_t since = nanoseconds_of(now - lapse - rate().time_for(lapse_bytes * seats_));
  double all = 0;
  for (Rank other = 0; other < seats_; ++other) {
    const Seat& theirs = by_seat_[static_cast<std::size_t>(other)];
    if (other == seat || theirs.told_at.load(std::memory_order_relaxed) >= since)
      all += theirs.demand.load(std::memory_order_relaxed);
  }
  const double own = by_seat_[static_cast<std::size_t>(seat)].demand.load(std::memory_order_relaxed);
  const double equal = 1.0 / seats_;
  return all > 0 ? std::max(own / all, least_of_equal * equal) : equal;
}

double HostUplink::begin_leg(Rank seat, Leg leg, double bytes, double always) {
  const auto told = [&](Rank rank) -> std::atomic<double>& {
    return by_seat_[static_cast<std::size_t>(rank)].leg_bytes[leg == Leg::replies ? 1 : 0];
  };
  told(seat).store(bytes, std::memory_order_relaxed);
  if (!(bytes > 0)) return 1.0 / seats_;
  double meanwhile = 0;  // that the others send
  for (Rank other = 0; other < seats_; ++other) {
    const double theirs = told(other).load(std::memory_order_relaxed);
    const double as_fast = bytes * (theirs + always) / (bytes + always);
    if (other != seat) meanwhile += theirs < 0 ? bytes : std::min(theirs, as_fast);
  }
  return bytes / (bytes + meanwhile);
}

}  // namespace lbsp::transport
