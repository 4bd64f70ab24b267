#pragma once

#include <any>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lbsp/image.hpp"
#include "lbsp/keeper.hpp"
#include "lbsp/world.hpp"
#include "transport/error.hpp"

namespace lbsp {

/// How the states of a program's steps are kept on other hosts.
struct Keep {
  /// As often as is best after what saving and steps have taken so far, by hosts that fail as often as `lbsp run
  /// --mtbf` says. It begins with 10 steps.
  static constexpr std::uint64_t planned = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t every = 10;  ///< before every so many steps, from 1; or planned
  Keeper::Heir heir =
      {};  ///< who gets the state of a lost rank; none: the next lower rank that is left, or the lowest
  bool grows = false;  ///< the program can go on with more ranks (`lbsp join`), which joined() tells
  /// The program can bring a new process from an older state to the step that all begin with, from what the other ranks
  /// have (Steps::own_step()). Then a state goes to other hosts only as often as is planned; the others of those
  /// that `every` says, or that are planned, are kept on the ranks themselves, which costs next to nothing.
  bool catches_up = false;
};

/// The steps of a program that goes on when ranks are lost (`lbsp run --on-failure shrink` or `respawn`):
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
/// Where each rank has a part of its own, lost parts must come back:
///
///       lbsp::Steps steps(world, part, 1000, lbsp::Keep{.every = 10});
///       for (const auto& lost : steps.inherited()) part.join(lost.state);
///       for (const std::uint64_t step : steps) …
///
/// `part` is then saved before every tenth step, in pieces on the other hosts too, so that as many hosts may be lost at
/// once as `lbsp run --survive` says; and on disk, with `--checkpoint`. All ranks go back to the last step that was
/// saved, and each rank inherits the states of some of the lost ones, as they were then; where a new process has the
/// lost one's place (`respawn`), that gets it as its own, and nobody inherits anything. lbsp/image.hpp says what such a
/// state may be.
///
/// With Keep::catches_up a new process may be given an older state than that of the others, or none, which is the
/// beginning: own_step() says which. The program then makes up for the steps between, before it begins its steps:
/// the others send what that takes, in supersteps that all ranks do.
///
/// With Keep::grows the world may grow (`lbsp join`): all go back to the last step that was saved, and the ranks that
/// have come begin it without a state (joined()). All ranks then share out anew what there is.
///
/// State is a value that can be copied; its copies are whole. Two are kept; none, if the job ends when a rank is lost,
/// or if new processes take lost ones' places: without Keep all begin again then. All ranks must come to their
/// Steps in the same superstep, and do the same supersteps in each step. A program has one Steps.
template <class State>
class Steps {
 public:
  static constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();

  /// The state of a lost rank, which is named by its rank in the world that saved it.
  struct Inherited {
    Rank rank;
    State state;
    std::uint64_t step;  ///< it is from before that one: first(), or an earlier one with Keep::catches_up
  };

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
    own_step_ = first_;
  }
  /// With states that are kept on other hosts. If ranks are lost, it ends one superstep. Throws as Keeper does, and
  /// UsageError if a state on disk has had more steps than `count`.
  Steps(World& world, State& state, std::uint64_t count,
        const Keep& keep) requires HasImage<State> && std::default_initializable<State>
      : world_(world), state_(state), count_(count), every_(keep.every), catches_up_(keep.catches_up) {
    if (every_ == 0) throw UsageError("states are to be kept every 0 steps: choose 1 or more");
    if (!Keeper::is_needed(world)) return;
    keeper_.emplace(world, keep.heir, keep.grows);
    keeper_->keep_every(every_ == Keep::planned ? std::nullopt : std::optional(every_), catches_up_);
    if (!keeper_->restored()) return;
    first_ = *keeper_->restored();
    if (first_ > count_) throw_done_already();
    own_step_ = joined() ? first_ : keeper_->own_number().value_or(0);
    if (keeper_->own_number()) restore(state, keeper_->own());
    for (const Keeper::State& lost : keeper_->inherited()) {
      inherited_.push_back({lost.rank, State{}, lost.number.value_or(0)});
      if (lost.number) restore(inherited_.back().state, lost.bytes);
    }
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

  /// Throws UsageError the second time: the steps would begin anew, though `state` is not what it was.
  Iterator begin() {
    if (!inherited_.empty() && !asked_)
      throw UsageError(
          "the program cannot go on without the lost ranks, whose states it does not ask for: give the job spare hosts "
          "(--on-failure respawn), or take over what Steps::inherited() has");
    if (begun_) throw_begun_already();
    begun_ = true;
    return Iterator(*this);
  }
  std::default_sentinel_t end() const { return {}; }
  /// The step that this call of the program begins with.
  std::uint64_t first() const { return first_; }
  /// The step that this rank's `state` is from before: first(), or an earlier one on a new process if Keep::catches_up.
  std::uint64_t own_step() const { return own_step_; }
  /// Whether this rank has come to the others since that step was saved (`lbsp join`), in nobody's place: `state` is
  /// what it was, and the program is to give this rank a part of what the others have. Rank 0 is never such a one.
  bool joined() const { return keeper_ && keeper_->joined(); }
  /// The states of lost ranks that this rank is to go on with, as they were before that step, the lowest rank first: a
  /// rank may inherit from neighbours on both sides. Each is given to one rank. Until the program has taken them over,
  /// the job still has them.
  /// Throws UsageError in begin() if there are any that it did not ask for.
  const std::vector<Inherited>& inherited() {
    asked_ = true;
    return inherited_;
  }

 private:
  [[noreturn]] void throw_done_already() const {
    throw UsageError("the states on disk are from before step " + std::to_string(first_) +
                     ", and the program has no more than " + std::to_string(count_) +
                     " steps: give it as many as it had, or more");
  }

  [[noreturn]] void throw_begun_already() const {
    throw UsageError("a Steps is looped over a second time, and would begin with step " +
                     std::to_string(first_) + " again: loop over it once, with all that a step does in it");
  }

  void save(std::uint64_t step) {
    if (every_ == 0) return world_.save(step + 1, state_);  // numbers of states begin with 1
    if constexpr (HasImage<State>) {
      if (!keeper_) return;
      keeper_->step_begins();
      if (!is_to_be_kept(step)) return;
      const bool elsewhere = is_to_go_elsewhere(step);
      keeper_->save(step, image_of(state_), elsewhere);
      kept_ = step;
      if (elsewhere) kept_elsewhere_ = step;
    }
  }

  /// After a loss at once, as the parts are others now; not at the beginning, which every rank can come back to.
  bool is_to_be_kept(std::uint64_t step) const {
    const bool first_again = step == first_ && keeper_->restored();
    return keeper_->due() && step < count_ && (first_again || (step > first_ && is_turn(step)));
  }
  /// What is planned is counted from the state before: the plan has changed since that.
  bool is_turn(std::uint64_t step) const {
    if (every_ != Keep::planned) return step % every_ == 0;
    return step - kept_ >= keeper_->interval();
  }

  bool is_to_go_elsewhere(std::uint64_t step) const {
    const bool first_again = step == first_ && keeper_->restored();
    return !catches_up_ || first_again || step - kept_elsewhere_ >= keeper_->interval_elsewhere();
  }

  World& world_;
  State& state_;
  std::uint64_t count_;
  std::uint64_t every_ = 0;  ///< 0: states are not kept on other hosts
  std::uint64_t first_ = 0;
  bool catches_up_ = false;
  std::uint64_t own_step_ = 0;
  std::uint64_t kept_ = 0;            ///< the step before which a state was saved last …
  std::uint64_t kept_elsewhere_ = 0;  ///< … and one that other hosts keep
  std::optional<Keeper> keeper_;
  std::vector<Inherited> inherited_;
  bool asked_ = false;
  bool begun_ = false;
};

}  // namespace lbsp
