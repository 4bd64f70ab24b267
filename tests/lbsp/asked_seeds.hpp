#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

namespace lbsp::test {

struct SeedRange {
  std::uint64_t first;
  std::uint64_t last;
};

/// LBSP_SEEDS=FIRST-LAST, for more than a test has time for, or for one that failed; else 1 to `usual`.
inline SeedRange asked_seeds(std::uint64_t usual) {
  SeedRange range{1, usual};
  if (const char* const text = std::getenv("LBSP_SEEDS")) {
    EXPECT_EQ(std::sscanf(text, "%" SCNu64 "-%" SCNu64, &range.first, &range.last), 2) << text;
  }
  return range;
}

}  // namespace lbsp::test
