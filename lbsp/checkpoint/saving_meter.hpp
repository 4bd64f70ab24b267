#pragma once

#include <cstdint>
#include <deque>

namespace lbsp::checkpoint {

/// What a rank has measured of saving states, in seconds.
struct SavingMeasure {
  double step = 0;  ///< one in which no state is under way; 0: none has been measured
  double cost = 0;  ///< so much longer the steps took in which a state was saved and was under way
  double here = 0;  ///< so long a state takes that is kept on the rank itself only; 0: none has been measured
};

/// Measures what states cost: the steps from one that begins with a save to the one in which all ranks have the state
/// are compared with all others. Medians of the newest ones, so that a pause of the machine does not count. Times are
/// in seconds.
class SavingMeter {
 public:
  /// A state is saved in the step that ends next.
  void saved() { under_way_ = true; }
  /// So long the program's thread has worked for that.
  void worked(double seconds) { work_ += seconds; }
  /// A state was saved that is kept here only; the program's thread worked so long for it.
  void kept_here(double seconds);
  /// The step is over, and has taken so long. `closed`: all ranks have what was saved.
  void step_over(double seconds, bool closed);
  /// The world has changed: what was under way is no measure.
  void break_off();

  /// The cost is the work at least.
  SavingMeasure measure() const;
  /// So many states were saved, and all ranks have them; without those that are kept here only.
  std::uint64_t states() const { return states_; }
  std::uint64_t states_here() const { return states_here_; }

 private:
  bool under_way_ = false;
  std::uint64_t states_ = 0;
  std::uint64_t states_here_ = 0;
  std::uint64_t steps_ = 0;  ///< with the state that is under way
  double seconds_ = 0;       ///< that they took
  double work_ = 0;          ///< for it

  std::deque<double> others_;  ///< the newest steps without
  std::deque<double> costs_;   ///< of the newest states
  std::deque<double> works_;
  std::deque<double> here_;  ///< work for the newest states that are kept here only
};

}  // namespace lbsp::checkpoint
