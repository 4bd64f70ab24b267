#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::survival {

/// Of a job that gets new processes in the places of lost ranks: how often in a row each rank was lost while the job
/// got no further, as it would not with the next process either. How the processes ended does not matter. And of any
/// job that goes on: how often in a row the ranks agreed anew although none was lost, as some were silent.
class LossLoop {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int most_losses = 5;
  static constexpr int most_losses_of_any = 10;
  /// Of a program that goes on from whatever is left, and does not say how far it is, nobody knows that: a world that
  /// has lasted for longer has got it further.
  static constexpr std::chrono::minutes soon{1};

  /// A world has ended, after so many supersteps, and `next` follows it. Its losses count; those before do so no more,
  /// if it has got the job further: to the state of a later step, which all go on from (a boundary may be that of the
  /// same state, kept anew), or by two supersteps more than any world before that began with the same one. By one more,
  /// it is the same superstep, as ranks are one apart at most. Or further than ever by what the program itself says.
  void world_ended(const job::Changed& next, const job::LeftWorld& left, Clock::time_point now);
  /// A process in this rank's place has ended before it came to the others.
  void lost_before_it_came(Rank rank) { ++losses_[rank]; }
  /// That one had come: its loss counts with the world's that it is lost from.
  void came_after_all(Rank rank) {
    if (int& losses = losses_[rank]; losses > 0) --losses;
  }

  int in_a_row(Rank rank) const;
  bool is_one(Rank rank) const { return in_a_row(rank) >= most_losses; }
  /// Of a program that says how far it is, and whose work another rank has next time: so many times in a row any ranks
  /// were lost.
  int of_any_in_a_row() const { return of_any_; }
  bool is_one_of_any() const { return of_any_ >= most_losses_of_any; }
  /// Nobody was lost so many times in a row.
  int of_nobody_in_a_row() const { return of_nobody_; }
  bool is_one_of_nobody() const { return of_nobody_ >= most_losses_of_any; }

 private:
  bool got_further(const job::LeftWorld& left, Clock::time_point now);

  std::map<Rank, int> losses_;
  int of_any_ = 0;
  int of_nobody_ = 0;
  std::uint64_t furthest_ = 0;  ///< the newest state that a world began with
  std::uint64_t base_ = 0;      ///< that the present one began with
  /// The most supersteps of a world that began with the furthest; none: none has ended.
  std::optional<std::uint64_t> most_supersteps_;
  std::optional<std::uint64_t> most_reached_;  ///< by LeftWorld::reached; none: no world has said so
  std::optional<Clock::time_point> began_;     ///< the present world; none: it is the first
};

}  // namespace lbsp::launch::survival
