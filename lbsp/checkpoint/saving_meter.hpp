#pragma once

#include <cstdint>
#include <deque>

namespace lbsp::checkpoint {

/// What a rank has measured of saving states, in seconds.
struct SavingMeasure {
  double step = 0;  ///< one in which no state is under way; 0: none has been measured
  double cost = 0;  ///< so much longer the steps took in which a state was saved and was under way
  double here = 0;  ///< so long a state takes that is kept on the rank itself only; 0: none has been measured
  /// Of so few steps that they cannot be told apart: how many there were for each state. Else 0.
  std::uint64_t steps_each = 0;
};

/// Measures what states cost: the steps from one that begins with a save to the one in which all ranks have the state
/// are compared with the newest of all others. A pause of the machine does not count. Where there are hardly any
/// others, as in a program of few steps or of which each begins with a save, a state is taken to cost its part of the
/// messages that it was in. Times are in seconds.
class SavingMeter {
 public:
  /// A state is saved in the step that ends next.
  void saved() { under_way_ = true; }
  /// So long the program's thread has worked for that.
  void worked(double seconds) { work_ += seconds; }
  /// Its pieces have come to the others. So long they are thought to have taken.
  void sent(double seconds);
  /// A state was saved that is kept here only; the program's thread worked so long for it.
  void kept_here(double seconds);
  /// The step is over, and has taken so long. `closed`: all ranks have what was saved.
  void step_over(double seconds, bool closed);
  /// The world has changed: what was under way is no measure.
  void break_off();

  /// The cost is the work at least.
  SavingMeasure measure() const;
  /// So many states were saved and sent; without those that are kept here only …
  std::uint64_t states() const { return states_; }
  /// … and so many of them all ranks are known to have.
  std::uint64_t closed() const { return closed_; }
  /// There are too few steps without a state to compare the others with.
  bool compares_bytes() const;
  std::uint64_t states_here() const { return states_here_; }

 private:
  bool under_way_ = false;
  bool sent_ = false;  ///< what is under way
  std::uint64_t states_ = 0;
  std::uint64_t closed_ = 0;
  std::uint64_t states_here_ = 0;
  std::uint64_t steps_ = 0;  ///< with the state that is under way
  double seconds_ = 0;       ///< that they took
  double work_ = 0;          ///< for it
  std::uint64_t all_steps_ = 0;
  double all_seconds_ = 0;  ///< that they took

  std::deque<double> others_;  ///< the newest steps without
  std::deque<double> costs_;   ///< of the newest states
  std::deque<double> works_;
  std::deque<double> sendings_;
  std::deque<double> here_;  ///< work for the newest states that are kept here only
};

}  // namespace lbsp::checkpoint
