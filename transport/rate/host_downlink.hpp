#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "transport/rate/downlink.hpp"
#include "transport/rate/host_lock.hpp"
#include "transport/rate/host_room.hpp"
#include "transport/rate/host_uplink.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What the ranks of one host have in common of its downlink: what arrives at any of them tells whether it is flooded,
/// and what it carries is divided among all who send to them.
///
/// Ranks that are processes have it in memory that all of them see, as HostUplink: it refers to no other memory.
class HostDownlink {
 public:
  /// What is awaited from other hosts. Of a rank, or of all of the host.
  struct Demand {
    double awaited = 0;  ///< bytes of messages that have not come whole
    double lengths = 0;  ///< bytes of the newest message of each peer
    double senders = 0;  ///< of what is awaited
    double granted = 0;  ///< bytes per second that these have been told
  };

  /// A host of so many ranks.
  explicit HostDownlink(Rank seats) : seats_(seats) {}
  /// The one that stands in this memory behind the HostUplink. Whoever comes first makes it. nullptr if there is none
  /// that this rank understands.
  static std::shared_ptr<HostDownlink> join(const std::shared_ptr<std::byte>& room, Rank seats);

  Rank seats() const { return seats_; }

  /// Calls with(downlink). While another rank is at it for unusually long, nothing is called.
  template <class With>
  bool change(const With& with) {
    if (seats_ > 1 && !lock_.lock()) return false;
    with(downlink_);
    if (seats_ > 1) lock_.unlock();
    return true;
  }
  /// A round has been judged; how often that was so.
  void note_round() { rounds_.fetch_add(1, std::memory_order_relaxed); }
  std::uint32_t rounds() const { return rounds_.load(std::memory_order_relaxed); }

  /// That rank awaits this. Returns what all do.
  Demand demand(Rank seat, const Demand& own, Instant now);

 private:
  struct Seat {
    std::atomic<double> awaited{0};
    std::atomic<double> lengths{0};
    std::atomic<double> senders{0};
    std::atomic<double> granted{0};
    std::atomic<std::int64_t> told_at{0};  ///< nanoseconds
  };

  Rank seats_;
  HostLock lock_;
  std::atomic<std::uint32_t> rounds_{0};
  Downlink downlink_;
  std::array<Seat, HostUplink::most_seats> by_seat_{};
};

/// For what the ranks of a host have in common of its links.
inline constexpr std::size_t host_room_bytes = room_bytes<HostUplink> + room_bytes<HostDownlink>;
/// For ranks of one process.
std::shared_ptr<std::byte> make_host_room();

static_assert(std::is_trivially_destructible_v<HostDownlink>);

}  // namespace lbsp::transport
