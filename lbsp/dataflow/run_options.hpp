#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "lbsp/collectives/choice.hpp"
#include "lbsp/dataflow/level_end.hpp"
#include "lbsp/dataflow/plan_options.hpp"
#include "lbsp/dataflow/ticks.hpp"
#include "transport/units.hpp"

namespace lbsp::dataflow {

/// How run() runs a graph. The same on all ranks.
struct RunOptions {
  MapOptions mapping{.neighbours_together = true};
  PredictionOptions prediction{};
  /// What is taken of the network until it is measured, where ranks exchange datagrams …
  CollectiveNetwork network{};
  /// … and where they do not: through memory a stream costs 1 µs and 1 ns a byte.
  Transfer memory{1'000, 1'000'000};
  Rank results_on = 0;  ///< who gets the results
  /// Called on every rank when it knows that a level has ended; none: nobody wants to know.
  std::function<void(const LevelEnd&)> when_level_ends = {};

  // Where the job goes on when ranks are lost (`lbsp run --on-failure shrink` or `respawn`):

  /// As replicate_every: as often as is best by what copies and levels are expected to take, and by hosts that fail as
  /// often as `lbsp run --mtbf` says; and before a rank writes half of most_spare_bytes.
  static constexpr std::size_t planned = ~std::size_t{0};
  /// What every so many levels write goes to a second rank too: levels n-1, 2n-1, … of n. 0: none does.
  std::size_t replicate_every = 0;
  /// New ranks may join (`lbsp join`). The program must save no states (lbsp/steps.hpp).
  bool grows = false;
  /// A rank keeps streams that no level reads any more, for when a rank is lost, as long as they are no more bytes.
  std::uint64_t most_spare_bytes = std::uint64_t{1} << 30;
};

}  // namespace lbsp::dataflow
