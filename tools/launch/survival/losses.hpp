#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::survival {

/// Who was lost of a job that goes on without lost ranks, and what the others made of it. Ranks are those of the job's
/// start. What is longest ago is forgotten, as a job may go on for ever, and a rank may tell whatever it likes.
class Losses {
 public:
  static constexpr std::size_t most_changes = 1000;
  /// Besides those who have not come back.
  static constexpr std::size_t most_losses = 10'000;

  /// `outlived`: the job goes on. Otherwise nobody is lost without its end.
  explicit Losses(bool outlived) : outlived_(outlived) {}
  bool outlived() const { return outlived_; }

  /// So many ranks begin their supersteps: times count from here. Those with higher numbers join later.
  void begin(Rank size) {
    size_ = size;
    began_ = Clock::now();
  }

  /// A rank's process has ended before its program, or has said that the job goes on without it; and how.
  void add(Rank rank, const std::string& how);
  /// A rank goes on in another world. Returns whether no rank had said so of this epoch, and it is not forgotten.
  bool changed(const job::Changed& change);

  /// It has been nobody's number: the next that joins may have it.
  void free_number(Rank rank) { entry(rank).back = true; }
  /// It was to join and has ended, and was among the others before they missed it: it is lost, and how.
  void came_after_all(Rank rank, const std::string& how);
  /// A rank moves to another host: where it was lost.
  void was_on(Rank rank, const std::string& host);

  /// A rank has completed a superstep in a new world.
  void resumed(const job::Resumed& rank);

  struct Loss {
    Rank rank = 0;
    Seconds at{0};      ///< when it was known here first
    std::string how;    ///< empty: it is silent
    bool back = false;  ///< a new process has its place
    std::string host;   ///< where it was, if that is not where the rank is now
    int in_a_row = 1;   ///< so many losses of the rank without progress of the job, with this one (LossLoop)
  };
  /// In the order in which they were known; of very many, those who have come back long ago are left out.
  const std::vector<Loss>& all() const { return losses_; }
  /// Of that rank, which has been lost.
  const Loss& newest(Rank rank) const;
  /// Of its newest, in the change to that epoch.
  void set_in_a_row(Rank rank, std::uint32_t epoch, int losses);
  /// Whether it is lost, and has not come back.
  bool has(Rank rank) const;
  /// Whether a new process has got its place in a later epoch than this.
  bool is_back_since(Rank rank, std::uint32_t epoch) const;
  /// Whether it has a number only: it was to join, and has been in no world.
  bool never_joined(Rank rank) const;
  /// How the first one was lost that says so; only if there is any.
  std::string first_reason() const;

  struct Change {
    job::Changed what;           ///< with the longest silence and agreement that any rank had
    Seconds silence{0};          ///< the shortest …
    Seconds agreement{0};        ///< … of any rank: one that stood still for a while has longer ones
    Seconds at{0};               ///< when the first rank said so
    std::vector<Rank> joined{};  ///< of those that are seated: in nobody's place
    std::optional<Seconds>
        resumed{};  ///< the longest that a rank took to complete a superstep in the new world
    std::optional<Seconds>
        waited{};      ///< the shortest that a rank had waited in vain until then; none: none has
    int in_a_row = 1;  ///< the most of those that were lost

    /// From the last word of who was lost until all had completed a superstep again, by the ranks' clocks; if that
    /// word came, or nobody was lost, while they agreed: from when all waited in vain. None: they have not.
    std::optional<Seconds> stood_still() const;
  };
  /// One for each epoch that followed, in order: the newest.
  const std::vector<Change>& changes() const { return changes_; }
  std::size_t forgotten_changes() const { return forgotten_changes_; }
  /// Those after that epoch, until this one; none if no rank has told of this one.
  std::vector<job::Changed> changes_between(std::uint32_t after, std::uint32_t until) const;

 private:
  using Clock = std::chrono::steady_clock;
  Loss& entry(Rank rank);
  void forget_oldest();
  /// It has been in no world before this: not lost from any, even if its process has ended since.
  bool is_new(Rank rank, std::uint32_t epoch) const;

  bool outlived_;
  Rank size_ = std::numeric_limits<Rank>::max();
  Clock::time_point began_ = Clock::now();
  std::vector<Loss> losses_;
  std::vector<Change> changes_;
  std::size_t forgotten_changes_ = 0;
};

}  // namespace lbsp::launch::survival
