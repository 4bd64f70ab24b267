#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "algorithms/key_order.hpp"
#include "lbsp/collectives/all_gather.hpp"
#include "lbsp/world.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::algorithms {

/// The number of keys, and a sum over their bits that does not depend on their order. It is the same before
/// and after a sort that loses, doubles and changes no key. Other keys have the same sum with a chance of one
/// in 2^64.
struct KeySum {
  std::uint64_t keys = 0;
  std::uint64_t sum = 0;

  friend KeySum operator+(KeySum a, KeySum b) { return {a.keys + b.keys, a.sum + b.sum}; }
  friend bool operator==(KeySum, KeySum) = default;
};

/// The sum of this rank's keys alone.
template <NumberKey K>
KeySum sum_of(std::span<const K> keys) {
  KeySum total{keys.size(), 0};
  for (const K& key : keys) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &key, sizeof(key));
    total.sum += transport::splitmix(bits);
  }
  return total;
}

/// What all ranks find together; the same on every rank.
struct SortCheck {
  bool sorted = true;  ///< every rank's keys, and those of each rank after those of the one before
  KeySum sum;          ///< of all ranks' keys
};

/// Checks a sequence of which each rank has a part. Cost: one superstep of 48 bytes between all pairs.
template <NumberKey K>
SortCheck check_sorted(World& world, std::span<const K> own, SortOrder order) {
  struct Part {
    KeySum sum;
    std::uint64_t sorted;
    K first;
    K last;
  };
  const auto before = [order](K a, K b) { return comes_before(a, b, order); };
  Part part{};
  part.sum = sum_of(own);
  part.sorted = std::is_sorted(own.begin(), own.end(), before) ? 1 : 0;
  if (!own.empty()) {
    part.first = own.front();
    part.last = own.back();
  }
  SortCheck check;
  const Part* previous = nullptr;
  const auto parts = all_gather(world, part, AllGather::direct);
  for (const Part& next : parts) {
    check.sum = check.sum + next.sum;
    if (next.sorted == 0) check.sorted = false;
    if (next.sum.keys == 0) continue;
    if (previous != nullptr && before(next.first, previous->last)) check.sorted = false;
    previous = &next;
  }
  return check;
}

/// The order of key_order.hpp in another way, by comparing numbers: it serves to check that one.
template <NumberKey K>
bool reference_before(K a, K b, SortOrder order) {
  if constexpr (std::floating_point<K>) {
    const auto bits = [](K key) { return std::bit_cast<typename FloatOrder<K>::Bits>(key); };
    const bool descending = order == SortOrder::descending;
    if (std::isnan(a) && std::isnan(b)) return bits(a) < bits(b);
    if (std::isnan(a) || std::isnan(b)) return std::isnan(b);
    if (a != b) return descending ? b < a : a < b;
    return descending ? std::signbit(b) && !std::signbit(a) : std::signbit(a) && !std::signbit(b);
  } else {
    return order == SortOrder::ascending ? a < b : b < a;
  }
}

/// Sorts in a single process, by std::sort.
template <NumberKey K>
void sort_alone(std::span<K> keys, SortOrder order) {
  std::sort(keys.begin(), keys.end(), [order](K a, K b) { return reference_before(a, b, order); });
}

template <NumberKey K>
bool same_bits(std::span<const K> a, std::span<const K> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace lbsp::algorithms
