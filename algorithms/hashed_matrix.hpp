#pragma once

#include <cstdint>
#include <limits>

#include "algorithms/splitmix.hpp"

namespace lbsp::algorithms {

/// An endless matrix of random elements, uniform in [-1, 1). Each is a function of the seed, the matrix's
/// number and its place alone, so any rank makes any part of it, and the same on any number of ranks.
class HashedMatrix {
 public:
  constexpr HashedMatrix(std::uint64_t seed, std::uint64_t number)
      : key_(splitmix(splitmix(seed) + number)) {}

  template <class T>
  constexpr T at(std::uint64_t row, std::uint64_t column) const {
    // As many of the top bits as the type's fraction holds are exact in it, and so is the step to [-1, 1).
    constexpr int bits = std::numeric_limits<T>::digits;
    constexpr T scale = T{2} / static_cast<T>(std::uint64_t{1} << bits);
    return static_cast<T>(splitmix(splitmix(key_ + row) + column) >> (64 - bits)) * scale - T{1};
  }

 private:
  std::uint64_t key_;
};

}  // namespace lbsp::algorithms
