#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lbsp/dataflow/plan_options.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow::planning {

/// Predicts how long a worker computes a token, from the times that it took for others of the same kernel.
///
/// For each kernel and worker it keeps v, the time per byte of input: v = α e + (1-α) v with each measurement e, the
/// first one being v itself. (The paper's equation 1 is the same sum with weights that add up to more than one; here
/// they add up to one.) A kernel that a worker has not run is predicted from the mean of those that have (equation 2,
/// with the divisor that it lacks in print), and one that nobody has run as the guess. Tokens whose inputs have no
/// bytes that anybody knows of are predicted from each other alone. Integers, so that all ranks predict alike.
///
/// A worker that was slow for once, as its machine stood still, would never be given a token again, and so never be
/// measured again. So if it runs none of a kernel in four levels in which others do, its v halves with each further one
/// until it is given one, which then is at most twice as long as it has time for. If that takes longer than the
/// others' mean, it is tried again after 16 times as long as it took, and twice as long each time. So a worker that
/// stays slow makes a run a few per cent longer.
class Predictor {
 public:
  Predictor(std::size_t kernels, Worker workers, const PredictionOptions& options = {});

  /// A token took `time` on a worker; its inputs have `bytes` in all.
  void learn(KernelId kernel, Worker worker, Ticks time, std::uint64_t bytes);
  /// All that has been learned of a worker, for another Predictor of the same graph; -1: nothing of that kernel.
  std::vector<Ticks> row(Worker worker) const;
  /// Takes that over. Throws Error if it is of another number of kernels.
  void learn_row(Worker worker, const std::vector<Ticks>& row);
  /// A token of the level that is planned goes to the worker.
  void give(KernelId kernel, Worker worker, std::uint64_t bytes);
  /// The others of the level have been given, too. It will take so long.
  void end_level(Ticks length);
  Ticks predict(KernelId kernel, Worker worker, std::uint64_t bytes) const;

 private:
  /// Whom the plan passes over, in levels that ran the kernel.
  struct Trials {
    int passed_over = 0;    ///< levels …
    Ticks waited = 0;       ///< … and how long they took
    Ticks between = 0;      ///< trials: so long at least
    bool runs = false;      ///< in this level
    bool on_trial = false;  ///< with a token that has not been learned of yet
  };
  struct Known {
    std::vector<std::optional<Ticks>> per_million;  ///< by worker
    std::vector<Trials> trials;                     ///< by worker
    std::optional<Ticks> mean;                      ///< of those that have run it
  };

  static bool is_due(const Trials& trials);
  static void end_level(Known& known, Ticks length);

  std::size_t place_of(KernelId kernel, std::uint64_t bytes) const {
    return 2 * kernel + (bytes == 0 ? 1U : 0U);
  }

  PredictionOptions options_;
  std::vector<Known> kernels_;  ///< two for each: with inputs and without
};

}  // namespace lbsp::dataflow::planning
