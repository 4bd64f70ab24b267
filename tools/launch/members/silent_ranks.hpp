#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/members/replacements.hpp"
#include "tools/launch/survival/missed_ranks.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::members {

/// Ranks that others miss though their processes run: gets new processes for their places, and knows why they are not
/// heard.
class SilentRanks {
 public:
  /// All must outlive it.
  SilentRanks(uv::Loop& loop, course::Job& job, const course::Ending& ending, Replacements& replacements);

  /// Whom that rank misses.
  void take(Rank from, const job::Missed& missed);

  /// That a host refuses to send is known there; the others only miss somebody. Empty: none does, for all that is
  /// known.
  std::string why_unheard(Rank rank, std::uint32_t epoch) const;
  /// In the newest epoch of which anybody was missed.
  std::string why_unheard(Rank rank) const { return why_unheard(rank, missed_.epoch()); }
  /// Those that nobody had ended, and yet no other rank heard; as part of a sentence, empty if there are none.
  std::string without_them() const;

 private:
  Rank members() const;
  void replace(const std::vector<Rank>& missed);

  course::Job& job_;
  const course::Ending& ending_;
  Replacements& replacements_;
  survival::MissedRanks missed_;
  uv::Timer timer_;
};

}  // namespace lbsp::launch::members
