#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "transport/leg.hpp"
#include "transport/rate/host_lock.hpp"
#include "transport/rate/uplink_rate.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What the ranks of one host have in common of its uplink: its rate, which all of them look for together, and how much
/// each has to send, by which they divide it. So a part that one does not use goes to the others, and the ranks of a
/// host fill its uplink and share a queue as one rank would.
///
/// Ranks that are processes have it in memory that all of them see: it refers to no other memory. Who dies while it
/// holds the lock stops nobody: the others go on at the rate that was known.
class HostUplink {
 public:
  static constexpr Rank most_seats = 256;

  /// A host of so many ranks.
  HostUplink(Rank seats, const UplinkRate& rate);
  /// The one that stands in this memory, which all ranks of the host see: host_room_bytes, zeros at first. Whoever
  /// comes first makes it. nullptr if there is none that this rank understands, or if it is not made in time.
  static std::shared_ptr<HostUplink> join(const std::shared_ptr<std::byte>& room, Rank seats,
                                          const UplinkRate& rate);

  /// Calls with(rate), which returns whether the rate has changed; returns that too. While another rank is at it for
  /// unusually long, nothing is called.
  template <class With>
  bool change(const With& with) {
    if (seats_ > 1 && !lock_.lock()) return false;
    const bool changed = with(rate_);
    if (changed) publish();
    if (seats_ > 1) lock_.unlock();
    return changed;
  }

  /// Changes whenever one of these does.
  std::uint32_t version() const { return version_.load(std::memory_order_acquire); }
  BytesPerSecond rate() const { return {published_rate_.load(std::memory_order_relaxed)}; }
  double part() const { return published_part_.load(std::memory_order_relaxed); }
  /// Whether the rate is bounded by a queue.
  bool bounded() const { return bounded_.load(std::memory_order_relaxed); }

  /// By all ranks, until now.
  std::uint64_t bytes_sent() const { return bytes_sent_.load(std::memory_order_relaxed); }
  void add_bytes(std::size_t bytes) {
    if (seats_ > 1) {
      bytes_sent_.fetch_add(bytes, std::memory_order_relaxed);
    } else {  // without waiting until all that has been written is in the cache
      bytes_sent_.store(bytes_sent() + bytes, std::memory_order_relaxed);
    }
  }

  /// A question or an answer has come to a rank of the host of those that are sent before there is data (FirstFlight).
  void note_first_flight(Instant now);
  /// When one last has.
  Instant first_flight_heard() const;

  Rank seats() const { return seats_; }
  /// Of a host of one rank: nobody else changes it.
  std::optional<UplinkRate> of_one_rank() const { return seats_ == 1 ? std::optional(rate_) : std::nullopt; }
  /// That rank has so many bytes to send, as far as it knows; 0: nothing waits.
  void demand(Rank seat, double bytes, Instant now);
  /// That rank's part of the rate, by what all have to send.
  double share(Rank seat, Instant now) const;

  /// That rank's leg has so many bytes for other hosts. Returns its part of the rate until they have gone, as share()
  /// divides it: a rank wants `always` bytes more than are left of its leg. The others' legs are taken to be as they
  /// told last, which for those that begin later is the leg before; who has told of none sends as this one does.
  double begin_leg(Rank seat, Leg leg, double bytes, double always);

 private:
  struct Seat {
    /// Of its last legs of messages and of replies; negative: it has told of none.
    std::array<std::atomic<double>, 2> leg_bytes{-1., -1.};
    std::atomic<double> demand{0};
    std::atomic<std::int64_t> told_at{0};  ///< nanoseconds
  };

  void publish();

  HostLock lock_;
  std::atomic<std::uint32_t> version_{1};
  std::atomic<double> published_rate_;
  std::atomic<double> published_part_{1};
  std::atomic<bool> bounded_{false};
  Rank seats_;
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::int64_t> first_flight_heard_{0};  ///< nanoseconds
  UplinkRate rate_;
  std::array<Seat, most_seats> by_seat_{};
};

static_assert(std::is_trivially_destructible_v<HostUplink> && std::atomic<double>::is_always_lock_free);

}  // namespace lbsp::transport
