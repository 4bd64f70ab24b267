#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lbsp/checkpoint/store.hpp"

namespace lbsp::checkpoint {

/// How the states of lost ranks are restored from the pieces on those that are left. All of them reckon the same.
class Recovery {
 public:
  /// `members`: of the new world by rank, the rank at the job's start; those that are not of the world that took the
  /// checkpoint have joined since.
  /// `is_new`: by the rank in the new world, whether its process has come since, and has nothing of the checkpoint;
  /// empty: none has.
  Recovery(const Checkpoint& base, const std::vector<Rank>& members, const std::vector<bool>& is_new = {});

  /// Those of the world that took the checkpoint whose processes are gone.
  const std::vector<Rank>& lost() const { return lost_; }
  /// The rank in the new world of the process that has the lost one's place; none: nobody has.
  std::optional<Rank> successor(Rank lost) const;
  /// Of the new world, the lowest rank whose process is not new; none: all are.
  std::optional<Rank> teller() const;
  /// The ranks in the new world of new processes that are in nobody's place.
  const std::vector<Rank>& joined() const { return joined_; }
  /// The rank in the new world of the next one below it that is left, or of the lowest: where ranks have neighbouring
  /// parts of one thing, it has the part beside.
  Rank neighbour(Rank lost) const;

  struct Source {
    std::uint32_t index;  ///< of the piece
    Rank rank;            ///< in the new world
  };
  /// As many as restore that state; none, if other hosts keep none. Throws Error if too few are left.
  std::vector<Source> sources(Rank lost) const;

 private:
  const Checkpoint& base_;
  std::vector<Rank> now_;  ///< by rank of the old world: in the new one, if the process is the same; or gone
  std::vector<Rank>
      successors_;  ///< by rank of the old world: in the new one, if its process is new; or gone
  std::vector<Rank> lost_;
  std::vector<Rank> joined_;
};

}  // namespace lbsp::checkpoint
