#pragma once

#include <cstdint>
#include <vector>

#include "lbsp/checkpoint/store.hpp"

namespace lbsp::checkpoint {

/// How the states of lost ranks are restored from the pieces on those that are left. All of them reckon the same.
class Recovery {
 public:
  /// `members`: of the new world by rank, the rank at the job's start; all are of the world that took the checkpoint.
  Recovery(const Checkpoint& base, const std::vector<Rank>& members);

  /// Of the world that took the checkpoint.
  const std::vector<Rank>& lost() const { return lost_; }
  /// The rank in the new world of the next one below it that is left, or of the lowest: where ranks have neighbouring
  /// parts of one thing, it has the part beside.
  Rank neighbour(Rank lost) const;

  struct Source {
    std::uint32_t index;  ///< of the piece
    Rank rank;            ///< in the new world
  };
  /// As many as restore that state. Throws Error if too few are left.
  std::vector<Source> sources(Rank lost) const;

 private:
  const Checkpoint& base_;
  std::vector<Rank> now_;  ///< by rank of the old world: in the new one, or gone
  std::vector<Rank> lost_;
};

}  // namespace lbsp::checkpoint
