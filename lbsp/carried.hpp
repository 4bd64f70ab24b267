#pragma once

#include <any>
#include <cstdint>
#include <optional>

#include "transport/world_change.hpp"

namespace lbsp {

/// What a rank carries from one world to the next, where its job goes on without ranks that are lost: how the world
/// changed, and the states that the program has saved. Of these no more are kept than all ranks together may go back
/// to: when a superstep is complete, every rank has what was saved last before it.
class Carried {
 public:
  struct Kept {
    std::uint64_t number = 0;
    std::any state;
  };

  /// A World begins, with no superstep completed.
  void begin_world() { saved_in_ = 0; }
  /// The world has changed. Throws UsageError if this rank has not saved the state that all go on from.
  void change_to(transport::WorldChange change);

  const std::optional<transport::WorldChange>& change() const { return change_; }
  /// What this world began with; none: the job's beginning.
  const Kept* restored() const { return restored_ ? &*restored_ : nullptr; }

  /// `superstep`: how many this World has completed. Throws UsageError if the number is 0, or lower than one before.
  void save(std::uint64_t number, std::any state, std::uint64_t superstep);

 private:
  std::optional<transport::WorldChange> change_;
  std::optional<Kept> restored_;
  std::optional<Kept> common_;  ///< all ranks have it; none: the beginning of the job is what all have
  std::optional<Kept> newest_;  ///< some may have it
  std::uint64_t saved_in_ = 0;  ///< the superstep in which it was saved
};

}  // namespace lbsp
