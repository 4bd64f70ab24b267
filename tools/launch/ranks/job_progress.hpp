#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lbsp/job/messages.hpp"

namespace lbsp::launch::ranks {

/// How far the ranks of a running job are, as far as they have told, and whom they wait for.
class JobProgress {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  void set_size(Rank size) { ranks_.resize(static_cast<std::size_t>(size)); }
  void take(Rank rank, const job::Progress& progress, Instant now);
  /// The rank has come to its end: nobody waits for it.
  void ended(Rank rank);
  /// The job goes on with these, and waits for nobody else.
  void go_on_with(const std::vector<Rank>& members);

  /// Whether any rank has told anything.
  bool known() const { return known_; }
  /// Supersteps that the foremost has completed.
  std::uint64_t superstep() const { return superstep_; }
  /// Whom others have waited for for a while: those whose messages they say have not come, but for those that wait
  /// themselves in an earlier superstep, and so for others. Where none says that: who does not wait in the newest one.
  std::vector<Rank> waited_for(Instant now) const;

 private:
  struct Word {
    job::Progress progress;
    Instant since;
    bool ended = false;
  };
  /// An epoch, and supersteps in it.
  using Place = std::pair<std::uint32_t, std::uint64_t>;
  static Place place_of(const job::Progress& progress);

  bool waits(const std::optional<Word>& word) const;
  std::vector<Rank> named_by_waiters(Instant now) const;

  std::vector<std::optional<Word>> ranks_;
  Place newest_;
  std::uint64_t superstep_ = 0;
  bool known_ = false;
};

/// Whom a job waits for. By rank: whose messages it waits for, and whether it does so in an earlier superstep than the
/// newest: then it has begun nothing that others could wait for, and is only held up itself.
std::vector<Rank> held_up_by(const std::vector<std::vector<Rank>>& awaited, const std::vector<bool>& held_up);

}  // namespace lbsp::launch::ranks
