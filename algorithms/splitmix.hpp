#pragma once

#include <cstdint>

namespace lbsp::algorithms {

/// A 64-bit number that looks random and differs for every x: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, in
/// Stafford's variant 13).
constexpr std::uint64_t splitmix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace lbsp::algorithms
