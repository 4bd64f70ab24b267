#pragma once

#include <cstddef>
#include <cstdint>

#include "lbsp/dataflow/run_options.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow::survival {

/// After which levels what they wrote is copied to a second worker. A loss then costs no more than the lost worker's
/// tokens since.
class CopyPlan {
 public:
  /// As `every`: as often as is planned.
  static constexpr std::size_t planned = RunOptions::planned;

  struct Limits {
    Ticks between_failures = longest_ticks;        ///< the mean, from one loss of a worker to the next
    std::uint64_t most_bytes = ~std::uint64_t{0};  ///< that a worker writes from one copy to the next
  };

  /// `every`: after every so many levels; 0: never.
  CopyPlan(std::size_t every, const Limits& limits) : every_(every), limits_(limits) {}

  /// What a level is expected to be.
  struct Level {
    std::size_t number = 0;
    Ticks takes = 0;
    Ticks copies_take = 0;    ///< if they are made; 0: there is nothing to copy
    std::uint64_t bytes = 0;  ///< that a worker writes, at most
  };
  /// Whether what it writes is copied. To be asked once of each, in the order in which they run.
  bool copies(const Level& level);

 private:
  std::size_t every_;
  Limits limits_;
  Ticks worked_ = 0;  ///< since the last copies
  std::uint64_t written_ = 0;
};

}  // namespace lbsp::dataflow::survival
