#include "transport/rate/host_uplink.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "transport/rate/host_room.hpp"

namespace lbsp::transport {
namespace {

/// Of a rank that says nothing more for so long, and for what so many datagrams of each rank take.
constexpr Duration lapse = std::chrono::milliseconds{100};
constexpr double lapse_bytes = 8 * 1400;

/// Of an equal part: with less, repairs and reports of a rank that has little else to send would be late.
constexpr double least_of_equal = 0.125;

std::int64_t nanoseconds_of(Instant at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

}  // namespace

HostUplink::HostUplink(Rank seats, const UplinkRate& rate)
    : published_rate_(rate.rate().value), seats_(seats), rate_(rate) {}

std::shared_ptr<HostUplink> HostUplink::join(const std::shared_ptr<std::byte>& room, Rank seats,
                                             const UplinkRate& rate) {
  auto* const made = join_in_room<HostUplink>(
      room.get(), [&](std::byte* memory) { return new (memory) HostUplink(seats, rate); });
  if (made == nullptr || made->seats() != seats) return nullptr;
  return {room, made};
}

void HostUplink::publish() {
  published_rate_.store(rate_.rate().value, std::memory_order_relaxed);
  published_part_.store(rate_.part(), std::memory_order_relaxed);
  bounded_.store(rate_.bound().rate().has_value(), std::memory_order_relaxed);
  version_.fetch_add(1, std::memory_order_release);
}

void HostUplink::note_first_flight(Instant now) {
  first_flight_heard_.store(nanoseconds_of(now), std::memory_order_relaxed);
}

Instant HostUplink::first_flight_heard() const {
  return Instant{std::chrono::nanoseconds{first_flight_heard_.load(std::memory_order_relaxed)}};
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
