#pragma once

#include <cstdint>
#include <limits>

#include "transport/splitmix.hpp"

namespace lbsp::algorithms {

/// An endless matrix of random elements, uniform in [-1, 1). Each element depends only on the seed, the
/// matrix's number and its place. So any rank can make any part, and the matrix is the same on any number of
/// ranks.
class HashedMatrix {
 public:
  constexpr HashedMatrix(std::uint64_t seed, std::uint64_t number)
      : key_(transport::splitmix(transport::splitmix(seed) + number)) {}

  template <class T>
  constexpr T at(std::uint64_t row, std::uint64_t column) const {
    // The type holds so many top bits exactly, so the step to [-1, 1) is exact too.
    constexpr int bits = std::numeric_limits<T>::digits;
    constexpr T scale = T{2} / static_cast<T>(std::uint64_t{1} << bits);
    return static_cast<T>(transport::splitmix(transport::splitmix(key_ + row) + column) >> (64 - bits)) *
               scale -
           T{1};
  }

 private:
  std::uint64_t key_;
};

}  // namespace lbsp::algorithms
