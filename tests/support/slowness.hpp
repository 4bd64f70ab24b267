#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "transport/splitmix.hpp"

namespace lbsp::test {

/// How many times as long as on a quick machine with nothing else to do something takes here and now; at least 1.
/// Limits of time for what real processes do are so many times as long.
inline double slowness() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::duration<double> when_quick = std::chrono::milliseconds{20};
  constexpr int rounds = 2'000'000;
  const auto begin = Clock::now();
  volatile std::uint64_t value = 1;
  for (int round = 0; round < rounds; ++round)
    value = transport::splitmix(value);
  return std::max(1.0, (Clock::now() - begin) / when_quick);
}

}  // namespace lbsp::test
