#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::survival {

/// Who of a job is missed, as its ranks tell. A rank that is cut off misses all others, and says so of one after the
/// other: one rank's word is not enough to start a new process by, as the places for these are few.
class MissedRanks {
 public:
  /// What that rank says now, instead of what it has said before. Epochs before the newest do not count.
  void take(Rank from, const job::Missed& missed);

  /// Of the newest epoch, whom half of `size` ranks miss: without these nobody could decide anything.
  std::vector<Rank> by_half(Rank size) const;
  /// Whom anybody misses who does not miss more than half of them.
  std::vector<Rank> by_any(Rank size) const;
  /// Whom all the others that say so miss: of a job that falls apart, those on no side of it.
  std::vector<Rank> by_all() const;
  std::uint32_t epoch() const { return epoch_; }

  /// Whose host refuses to send, to whom, and why.
  struct Refusal {
    Rank from;
    Rank to;
    int error;
  };
  /// Why that rank was not heard in that epoch, or did not hear others: its own host's, or another's that refuses to
  /// send to it.
  std::optional<Refusal> refusal_about(Rank rank, std::uint32_t epoch) const;

 private:
  std::uint32_t epoch_ = 0;
  std::map<Rank, std::vector<Rank>> said_;  ///< by who says so
  std::map<Rank, job::Missed> refused_;     ///< what was said last of a host that refuses
};

}  // namespace lbsp::launch::survival
