#pragma once

#include <string>
#include <vector>

#include "tools/wan/bed/bed.hpp"
#include "tools/wan/router/counters.hpp"

namespace lbsp::wan {

/// The counts of an ordered pair of hosts, in Counter's order.
struct PairCounts {
  std::uint64_t offered = 0, offered_bytes = 0, delivered = 0, delivered_bytes = 0, too_long = 0, lost = 0,
                queue_drops = 0, downlink_drops = 0, reordered = 0, duplicated = 0, corrupted = 0, marked = 0,
                late = 0, lateness = 0, longest_lateness = 0, discarded = 0, refused = 0;

  PairCounts& operator+=(const PairCounts& other);
  bool any() const { return offered > 0; }
};

/// All that was counted in a bed up to a moment.
struct BedCounts {
  std::vector<PairCounts> pairs;            ///< from · hosts + to
  std::vector<std::uint64_t> device_drops;  ///< of each host; empty if the router is dead
  std::uint64_t held = 0, most_held = 0, unroutable = 0;
  double router_seconds = 0;  ///< of a processor, used by the router
  double router_waited = 0;   ///< seconds that it was ready to run and had no processor

  int hosts = 0;
  const PairCounts& pair(int from, int to) const;
  PairCounts sent_by(int host) const;
  PairCounts sent_to(int host) const;
  PairCounts total() const;
  std::uint64_t all_device_drops() const;

  /// Empty if the bed was what it was told to be; else what the router could not keep up with, in words. It
  /// kept up if it lost nothing on its own account and was late by at most 0.2 ms in the mean.
  std::string shortcomings() const;
};

/// Throws SystemError.
BedCounts count(const bed::BedFolder& folder, const bed::BedRecord& bed);

/// For people: totals, and the rates between two counts that are `seconds` apart (none if 0).
std::string stats_text(const bed::BedRecord& bed, const BedCounts& before, const BedCounts& now,
                       double seconds);

/// The same for a program; docs/wan.md names the keys.
std::string stats_json(const bed::BedRecord& bed, const BedCounts& before, const BedCounts& now,
                       double seconds);

}  // namespace lbsp::wan
