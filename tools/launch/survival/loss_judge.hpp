#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "lbsp/job/messages.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/request/options.hpp"
#include "tools/launch/survival/loss_loop.hpp"
#include "tools/launch/survival/losses.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::survival {

/// Tells the user how ranks were lost, and judges by that whether the job that goes on gets anywhere.
class LossJudge {
 public:
  /// `placement`: with where ranks are now. All must outlive it. `say` tells the user.
  LossJudge(const request::RunOptions& options, const places::Placement& placement, Losses& losses,
            std::function<void(const std::string&)> say)
      : options_(options), placement_(placement), losses_(losses), say_(std::move(say)) {}

  // Each returns why the job is to end; empty: it goes on.

  /// A rank goes on in a new world. All that do so say that; the first one counts. Nobody may have been in the worlds
  /// between the one that was judged last and this.
  std::string take_left(const job::LeftWorld& left, LossLoop::Clock::time_point now);
  /// A new process in that rank's place has ended so before it came to the others.
  std::string take_lost_newcomer(Rank rank, const std::string& how);

  /// The last one of that rank that was taken so had come to the others, as they say only now.
  void came_after_all(Rank rank) { loop_.came_after_all(rank); }

 private:
  std::string take_lost(Rank rank, const job::Changed& change);
  std::string why_in_vain(Rank rank, const std::string& how) const;
  std::string text_of(Rank rank, const job::Changed& change) const;

  const request::RunOptions& options_;
  const places::Placement& placement_;
  Losses& losses_;
  std::function<void(const std::string&)> say_;
  LossLoop loop_;
  std::uint32_t judged_ = 0;  ///< the newest epoch whose losses have been counted
};

}  // namespace lbsp::launch::survival
