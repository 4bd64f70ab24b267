#pragma once

#include <cstdint>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport {

/// What has become of a world whose job goes on after ranks were lost (`lbsp run --on-failure shrink` or `respawn`).
/// Ranks are named here by their slots, which are the ranks that they had at the job's start.
struct WorldChange {
  std::uint32_t epoch = 0;     ///< how often the world has changed since the job's start
  std::vector<Rank> members;   ///< by the rank in the new world
  std::vector<Rank> lost;      ///< none, if all were only slow
  std::uint64_t boundary = 0;  ///< what all members go on from (Exchange::hold()); 0 is the job's beginning
  Duration silence{0};         ///< for how long a lost rank had not been heard here, when this was decided
  Duration agreement{0};       ///< from when this rank knew that one was missed, until this was decided
  std::vector<Rank> seated = {};  ///< of the members, those that are new processes in the slots of lost ones
  std::vector<std::uint32_t> newcomers = {};  ///< the numbers of these processes, one for each of `seated`
  std::vector<std::uint16_t> hosts =
      {};  ///< by slot: the number of its host, as the job counts them; empty: all differ
  /// Where several worlds have followed one another before this process has taken notice, each of them by itself, the
  /// last one too: `lost` and `seated` above are those of all. Empty: there was only one.
  std::vector<WorldChange> each = {};
};

/// Both changes as one, of which no notice was taken between them.
WorldChange followed_by(const WorldChange& earlier, const WorldChange& later);

/// Each world by itself.
std::vector<WorldChange> one_by_one(const WorldChange& change);

}  // namespace lbsp::transport
