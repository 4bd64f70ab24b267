#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lbsp/dataflow/run_change.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow::survival {

/// What a rank has of a run, and tells the others when the world has changed: all that they go on from. A new process
/// has nothing.
struct Holdings {
  /// Of a token, any of these.
  static constexpr std::uint8_t done = 1;   ///< the rank knows that it has run
  static constexpr std::uint8_t here = 2;   ///< and this rank ran it
  static constexpr std::uint8_t again = 4;  ///< and it ran more than once

  std::vector<std::uint8_t> tokens;    ///< by token; empty: nothing of any
  std::vector<StreamId> streams;       ///< that tokens have produced and the rank holds, ascending
  std::vector<std::uint64_t> lengths;  ///< of these, in bytes
  std::vector<Ticks> times;            ///< the rank's own, as Predictor::row(); empty: none
  std::uint64_t runs_again = 0;        ///< of tokens that had run before, in all
  std::vector<RunChange> changes;      ///< that the rank knows of, ascending

  template <class All>
  void fields(All& all) {
    all(tokens, streams, lengths, times, runs_again, changes);
  }
};

/// What all of them know together: of each token, each change, and how many tokens ran again. Streams and times are
/// those of single ranks. Throws Error if one is not of a run with so many tokens and streams.
Holdings joint(const std::vector<Holdings>& of_ranks, std::size_t tokens, std::size_t streams);

/// Which of them ran each token; no_worker: a lost rank, or nobody.
Mapping who_ran(const std::vector<Holdings>& of_ranks, std::size_t tokens);

}  // namespace lbsp::dataflow::survival
