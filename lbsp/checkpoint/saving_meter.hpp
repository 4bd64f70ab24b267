#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

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
/// are compared with the newest of all others, and each with those of as many supersteps: a state is under way until
/// two are complete. A pause of the machine does not count. Where there are hardly any others, as in a program of few
/// steps or of which each begins with a save, a state is taken to cost its part of the messages that it was in; where
/// there are none of as many supersteps, what its bytes are thought to take. It costs no more than some times that:
/// what is longer is so in the program's own steps. Times are in seconds.
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
  /// Bytes of its pieces are thought to take so long on this rank's link.
  void thought(double seconds) { thought_ += seconds; }
  /// This rank has waited so long for others' pieces.
  void waited(double seconds) { waited_ += seconds; }
  /// The step is over, has taken so long, and had so many supersteps. `closed`: all ranks have what was saved.
  void step_over(double seconds, bool closed, std::uint64_t supersteps = 1);
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
  struct Step {
    double seconds = 0;
    std::uint64_t supersteps = 0;
  };

  /// Of steps without a state that have so many supersteps; none: there were none of late.
  std::optional<double> usual_of(std::uint64_t supersteps) const;
  std::optional<double> usual_of_those_under_way() const;
  void note_cost();
  double mean_step(double cost) const;

  bool under_way_ = false;
  bool sent_ = false;  ///< what is under way
  std::uint64_t states_ = 0;
  std::uint64_t closed_ = 0;
  std::uint64_t states_here_ = 0;
  std::map<std::uint64_t, std::uint64_t> steps_;  ///< with the state that is under way, by their supersteps
  double seconds_ = 0;                            ///< that they took
  double work_ = 0;                               ///< for it …
  double waited_ = 0;                             ///< … and so on
  double thought_ = 0;
  double sending_ = 0;
  std::uint64_t all_steps_ = 0;
  double all_seconds_ = 0;                       ///< that they took
  std::optional<std::uint64_t> all_supersteps_;  ///< of each of them; none: there were none, or …
  bool differ_ = false;                          ///< … they differ

  std::deque<Step> others_;   ///< the newest steps without
  std::deque<double> costs_;  ///< of the newest states
  std::deque<double> works_;
  std::deque<double> sendings_;
  std::deque<double> here_;  ///< work for the newest states that are kept here only
};

}  // namespace lbsp::checkpoint
