#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "transport/impairment/link.hpp"

namespace lbsp::wan::router {

/// A count that one thread keeps and other processes read while it does.
class Counter {
 public:
  void add(std::uint64_t more) { set(get() + more); }
  void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  void raise_to(std::uint64_t value) {
    if (value > get()) set(value);
  }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// What happened to the packets from one host to one other. Of those offered and duplicated, all are
/// delivered, too long, lost, dropped, discarded, refused or still under way.
struct PairCounters {
  // By design.
  Counter offered;        ///< packets that the host sent
  Counter offered_bytes;  ///< of them, without 28 for headers, as rates count
  Counter delivered;
  Counter delivered_bytes;
  Counter too_long;        ///< by `mtu`
  Counter lost;            ///< by `loss`
  Counter queue_drops;     ///< found the uplink's queue, or the pair's bottleneck's, full
  Counter downlink_drops;  ///< found the downlink's queue full
  Counter reordered;
  Counter duplicated;
  Counter corrupted;
  Counter marked;  ///< by `ecn`
  // The router's own shortcomings.
  Counter late;              ///< delivered more than `late_after` after their time
  Counter lateness;          ///< nanoseconds after their time, of all delivered together
  Counter longest_lateness;  ///< nanoseconds
  Counter discarded;         ///< the router held as many packets as it may
  Counter refused;           ///< the receiving host's kernel did not take them

  void add(const transport::ImpairmentCounters& more);
};

inline constexpr transport::Duration late_after = std::chrono::microseconds{200};

/// Of the router, not of a pair.
struct RouterCounters {
  Counter held;        ///< packets under way
  Counter most_held;   ///< ever
  Counter unroutable;  ///< not IPv4, or to no host of the bed: broadcasts, for instance
  Counter changes;     ///< of the network, that the router has made
};

/// The counters of a bed in a file, mapped into memory: the router counts, everyone else may look, also after
/// the router's end.
class CounterFile {
 public:
  /// Makes a new file. Throws SystemError.
  static CounterFile create(const std::filesystem::path& path, int hosts);
  /// Opens one to read it. Throws SystemError, also if it is for another number of hosts.
  static CounterFile open(const std::filesystem::path& path, int hosts);

  CounterFile(CounterFile&& other) noexcept;
  CounterFile& operator=(CounterFile&& other) = delete;
  ~CounterFile();

  PairCounters& pair(int from, int to) { return pairs()[place(from, to)]; }
  const PairCounters& pair(int from, int to) const { return pairs()[place(from, to)]; }
  RouterCounters& router() { return *static_cast<RouterCounters*>(memory_); }
  const RouterCounters& router() const { return *static_cast<const RouterCounters*>(memory_); }

 private:
  CounterFile(void* memory, int hosts) : memory_(memory), hosts_(hosts) {}
  static std::size_t bytes(int hosts);
  std::size_t place(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(hosts_) + static_cast<std::size_t>(to);
  }
  PairCounters* pairs() const;

  void* memory_;
  int hosts_;
};

}  // namespace lbsp::wan::router
