#pragma once

#include <any>
#include <cstdint>
#include <optional>

namespace lbsp {

/// The states that a program has saved on its own rank (World::save()), where its job goes on without ranks that are
/// lost. Of these no more are kept than all ranks together may go back to: when a superstep is complete, every rank has
/// what was saved last before it.
class SavedStates {
 public:
  struct Kept {
    std::uint64_t number = 0;
    std::any state;
  };

  /// Throws UsageError if a state cannot have this number: it is 0, or lower than one before.
  void check(std::uint64_t number) const;
  /// `superstep`: how many this world has completed. Throws as check().
  void save(std::uint64_t number, std::any state, std::uint64_t superstep);
  bool any() const { return newest_ || common_; }

  /// The world has changed, and all go on from the state of that number; 0: the job's beginning. Throws UsageError if
  /// it has not been saved.
  void go_on_from(std::uint64_t number);
  /// A world begins, with no superstep completed.
  void begin_world() { saved_in_ = 0; }
  /// What this world began with, until the next one is saved; none: the job's beginning.
  const Kept* restored() const { return restored_ ? &*restored_ : nullptr; }

 private:
  std::optional<Kept> restored_;
  std::optional<Kept> common_;  ///< all ranks have it; none: the beginning of the job is what all have
  std::optional<Kept> newest_;  ///< some may have it
  std::uint64_t saved_in_ = 0;  ///< the superstep in which it was saved
};

}  // namespace lbsp
