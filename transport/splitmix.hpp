#pragma once

#include <cstdint>

namespace lbsp::transport {

inline constexpr std::uint64_t splitmix_increment = 0x9e3779b97f4a7c15;

/// A 64-bit number that looks random and differs for every x: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, in
/// Stafford's variant 13). Source: https://prng.di.unimi.it/splitmix64.c
constexpr std::uint64_t splitmix(std::uint64_t x) {
  x += splitmix_increment;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace lbsp::transport
