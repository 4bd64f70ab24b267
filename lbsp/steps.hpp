#pragma once

#include <any>
#include <cstdint>
#include <iterator>
#include <limits>

#include "lbsp/world.hpp"
#include "transport/error.hpp"

namespace lbsp {

/// The steps of a program that goes on when ranks are lost (`lbsp run --on-failure shrink`):
///
///     lbsp::run([](lbsp::World& world) {
///       State state = …;                                              // what the steps begin with
///       for (const std::uint64_t step : lbsp::Steps(world, state, 1000)) {
///         …                                                           // supersteps that change the state
///       }
///       …                                                             // what follows from the last state
///     });
///
/// `state` is saved before each step and after the last one. When ranks are lost, sync() throws WorldChanged, and
/// lbsp::run calls the program again with the ranks that are left. Then Steps gives `state` the value that all of
/// them go on from, and begins with the step that follows it. So everything that one step needs of the one before
/// must be in `state`: registered memory and queues are new in each call. What the lost ranks alone had is lost.
///
/// State is a value that can be copied; its copies are whole. Two are kept. All ranks must come to their Steps in the
/// same superstep, and do the same supersteps in each step. A program has one Steps.
template <class State>
class Steps {
 public:
  static constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();

  /// As many steps as `count`, from 0 on. Throws UsageError if the program has saved something else as its state.
  Steps(World& world, State& state, std::uint64_t count = endless)
      : world_(world), state_(state), count_(count) {
    const auto saved = world.saved();
    if (!saved) return;
    const State* const before = std::any_cast<State>(&saved->state);
    if (before == nullptr)
      throw UsageError("the program has saved a state of another type: use one Steps in a program");
    state = *before;
    first_ = saved->number - 1;
  }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  class Iterator {
   public:
    using value_type = std::uint64_t;
    using difference_type = std::int64_t;

    explicit Iterator(Steps& steps) : steps_(&steps), step_(steps.first_) { steps_->save(step_); }
    std::uint64_t operator*() const { return step_; }
    Iterator& operator++() {
      steps_->save(++step_);
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& at, std::default_sentinel_t) { return at.is_at_end(); }

   private:
    bool is_at_end() const { return step_ >= steps_->count_; }

    Steps* steps_;
    std::uint64_t step_;
  };

  Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }
  /// The step that this call of the program begins with.
  std::uint64_t first() const { return first_; }

 private:
  /// Numbers of states begin with 1.
  void save(std::uint64_t step) { world_.save(step + 1, state_); }

  World& world_;
  State& state_;
  std::uint64_t count_;
  std::uint64_t first_ = 0;
};

}  // namespace lbsp
