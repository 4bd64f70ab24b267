#pragma once

#include <cstdint>
#include <utility>

#include "transport/splitmix.hpp"

namespace lbsp::transport {

/// Vigna's generator over SplitMix64. It has eight bytes of state, so every ordered pair of thousands of ranks
/// can have its own. It gives the same numbers on every platform, which the distributions of <random> do not
/// promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return splitmix(std::exchange(state_, state_ + splitmix_increment)); }

  /// Uniform in [0, 1), with 53 random bits.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Uniform in 0 … bound-1, with a bias below bound/2^64.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  /// True with this probability. Draws nothing if it is 0, so that an absent fault costs no time.
  bool happens(double probability) { return probability > 0 && unit() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace lbsp::transport
