#pragma once

#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "tests/lbsp/lasting_worlds.hpp"

/// How jobs of LastingWorlds are expected to end.
namespace lbsp::lasting {

/// The others went on without it, as it slept.
inline bool was_left_out(const LastingWorlds& worlds, Slot slot) {
  return worlds.error(slot).starts_with("the other ranks go on without this one");
}

enum class Sleepers { are_replaced, are_left_out };

/// The job comes to its end, and so do those of its first `size` slots whose processes did not die; those that slept
/// for too long may have been left out if they are not replaced.
inline void expect_good_end(LastingWorlds& worlds, Slot size, Sleepers sleepers = Sleepers::are_replaced) {
  EXPECT_TRUE(worlds.run(std::chrono::minutes{2})) << "hangs";
  for (Slot slot = 0; slot < size; ++slot) {
    const bool left_out = sleepers == Sleepers::are_left_out && was_left_out(worlds, slot);
    EXPECT_TRUE(worlds.finished(slot) || worlds.died(slot) || left_out) << slot << ": " << worlds.error(slot);
  }
}

}  // namespace lbsp::lasting
