#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/units.hpp"

namespace lbsp::transport::shared_memory {

/// Which way long copies go to one other rank's rooms: through this processor's cache, or past it to memory.
///
/// To write a line that the reader has in its cache, this processor has to take it from there. Where the two share a
/// cache, that is faster than memory; where they do not, it takes ten times as long as to write past the cache (64 KiB:
/// 28 to 34 µs instead of 2.2). Which of the two it is shows in how long copies take, and may change when the system
/// moves a process to another processor.
class CopyChoice {
 public:
  /// Who takes so long for a byte takes lines from far away.
  static constexpr std::chrono::duration<double, std::nano> slow_byte{0.1};
  /// In the cache's favour: one copy in so many is measured.
  static constexpr int measured_every = 4;
  /// Past the cache: from one trial of it to the next; after trials in vain twice as many, and so on.
  static constexpr int fewest_between_trials = 64;
  static constexpr int most_between_trials = 4096;
  /// So many measurements that agree decide.
  static constexpr int agreeing = 2;

  enum class Way : std::uint8_t { cached, cached_and_measured, past_cache };

  /// Of the next copy.
  Way next();
  /// What a measured copy took.
  void took(std::size_t bytes, Duration time);

 private:
  bool past_cache_ = false;
  int copies_ = 0;  ///< since the last one that was measured
  int between_trials_ = fewest_between_trials;
  int agree_ = 0;  ///< measurements in a row that speak for the other way
};

/// Copies past the cache, where this processor has instructions for it. What is written can be published at once.
void copy_past_cache(std::byte* to, std::span<const std::byte> from);

/// Long copies to the rooms of one other rank.
class RoomCopies {
 public:
  /// Of no fewer bytes than this: for fewer, the choice takes too long.
  static constexpr std::size_t least_bytes = std::size_t{4} << 10;

  void copy(std::byte* to, std::span<const std::byte> from);

 private:
  CopyChoice choice_;
};

}  // namespace lbsp::transport::shared_memory
