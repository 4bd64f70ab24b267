#pragma once

#include <algorithm>
#include <any>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <utility>

#include "lbsp/checkpoint/folder.hpp"
#include "lbsp/survival/keeping.hpp"
#include "lbsp/survival/roster.hpp"
#include "lbsp/survival/saved_states.hpp"
#include "lbsp/survival/survival.hpp"
#include "transport/world_change.hpp"

namespace lbsp {

/// What a program is told that keeps states in more than one way, or place.
inline constexpr const char* keeps_twice =
    "states are kept in a second place of the program: use one Steps in a program";
/// What a program is told that does both.
inline constexpr const char* saves_and_admits =
    "the program saves states, and runs a graph that ranks may join: set RunOptions::grows of the graph to false, or save "
    "no states";

/// That something has happened: one thread sets it, any thread may ask.
class Mark {
 public:
  Mark() = default;
  Mark(const Mark& other) : set_(other.is_set()) {}
  Mark& operator=(const Mark&) = delete;
  void set() { set_ = true; }
  bool is_set() const { return set_; }

 private:
  std::atomic<bool> set_ = false;
};

/// What a rank carries from one world to the next, where its job goes on without ranks that are lost: how the world
/// changed, the states that the program has saved, and what it takes along.
class Carried {
 public:
  explicit Carried(Survival survival = {}) : survival_(std::move(survival)), roster_(survival_.hosts) {}

  const Survival& survival() const { return survival_; }
  /// A World begins, with no superstep completed.
  void begin_world() { saved_.begin_world(); }
  /// The world has changed. Throws UsageError if this rank has not saved the state that all go on from.
  void change_to(transport::WorldChange change);
  /// This process is a new one, and this is how the world came to be that it begins with.
  void come_to(transport::WorldChange change);

  /// By the program's own count, the number of the state that a world with this boundary begins with: before
  /// change_to(). A boundary counts states, too, but not steps: a state that is kept again has a new one. None: this
  /// process has none of its own yet.
  std::optional<std::uint64_t> state_of(std::uint64_t boundary) const {
    return keeping_.store.used() ? keeping_.store.number_of(boundary) : boundary;
  }

  /// Who is in this world, and how that came to be.
  const Roster& roster() const { return roster_; }
  /// What this world began with; none: the job's beginning.
  const SavedStates::Kept* restored() const { return saved_.restored(); }

  /// Throws UsageError if a state cannot have this number: it is 0, or lower than one before; or if states are kept
  /// on other hosts, too.
  void check(std::uint64_t number) const;
  /// `superstep`: how many this World has completed. Throws as check().
  void save(std::uint64_t number, std::any state, std::uint64_t superstep);

  /// What World::luggage() has, by its type.
  std::shared_ptr<void>& luggage_of(std::type_index type) { return luggage_[type]; }
  bool has_luggage() const { return !luggage_.empty(); }
  /// As World::reached().
  void reach(std::uint64_t how_far) { reached_ = std::max(reached_.value_or(0), how_far); }
  const std::optional<std::uint64_t>& reached() const { return reached_; }
  /// For World::admit(): what the next exchange holds. It stands for no state, as all go on from what is left.
  std::uint64_t next_boundary() {
    admits_ = true;
    return ++boundary_;
  }

  /// The states that other hosts or disks keep, which are used instead of the above or not at all.
  Keeping& keeping() { return keeping_; }
  const Keeping& keeping() const { return keeping_; }
  /// A world of so many ranks begins to keep them. Throws UsageError if states have been saved here only.
  void begin_keeping(Rank self, Rank size);
  /// Of what this world keeps on disk.
  std::uint64_t generation() const { return keeping_.first_generation + roster_.epoch(); }
  /// Seconds: the mean from one loss of a host of this world (Roster::count_hosts()), which has so many ranks, to the
  /// next.
  double between_failures(Rank size) const;
  /// Of a clock that never goes back.
  double seconds() const;

  /// Whose states are kept on disk: by default the name of the file that this process runs.
  checkpoint::ProgramName program() const;

  /// Whether the program is to keep states on disk, or to begin with one, and has not begun to. Any thread may ask.
  bool lacks_states() const {
    return !keeps_.is_set() && (!survival_.checkpoint.empty() || !survival_.restart.empty());
  }
  /// The program has come to its end. Throws UsageError if it lacks_states().
  void require_kept() const;

 private:
  void note(transport::WorldChange change);

  Survival survival_;
  Roster roster_;
  Keeping keeping_;
  Mark keeps_;  ///< begin_keeping() has been called
  std::map<std::type_index, std::shared_ptr<void>> luggage_;
  std::optional<std::uint64_t> reached_;
  bool admits_ = false;         ///< next_boundary() has been called
  std::uint64_t boundary_ = 0;  ///< the last that this gave, or that a change named
  SavedStates saved_;           ///< on this rank alone
};

}  // namespace lbsp
