#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::survival {

/// Who is about to join a job, and who awaits an answer to it.
class Joining {
 public:
  /// Tells whoever asked.
  using Answer = std::function<void(const std::string& line)>;

  explicit Joining(uv::Loop& loop) : loop_(loop) {}

  /// The job has so many ranks.
  void begin(Rank size) { next_ = size; }
  /// Its program can go on with more.
  void allow() { allowed_ = true; }
  bool allowed() const { return allowed_; }

  /// The rank of the next one: the lowest that nobody has or had.
  Rank next() const { return free_.empty() ? next_ : *free_.begin(); }
  /// It begins. `late` is called if it has had no answer for so long.
  void add(Answer answer, std::chrono::milliseconds patience, std::function<void()> late) {
    const Rank rank = next();
    if (free_.erase(rank) == 0) ++next_;
    Waiting& one = waiting_[rank];
    one.answer = std::move(answer);
    one.timer = std::make_unique<uv::Timer>(loop_);
    one.timer->start(patience, std::move(late));
  }
  /// It has got so far that it may have so much longer.
  void wait_on(Rank rank, std::chrono::milliseconds patience, std::function<void()> late) {
    waiting_.at(rank).timer->start(patience, std::move(late));
  }
  /// It has ended, and has been nobody's rank: the next one may have it.
  void give_back(Rank rank) { free_.insert(rank); }
  /// It has been somebody's after all.
  void keep(Rank rank) { free_.erase(rank); }
  /// Once; nothing if it has had one.
  void answer(Rank rank, const std::string& line) {
    const auto found = waiting_.find(rank);
    if (found == waiting_.end() || !found->second.answer) return;
    found->second.timer->stop();
    std::exchange(found->second.answer, nullptr)(line);
  }
  bool awaits_answer(Rank rank) const {
    const auto found = waiting_.find(rank);
    return found != waiting_.end() && found->second.answer;
  }

 private:
  struct Waiting {
    Answer answer;
    std::unique_ptr<uv::Timer> timer;
  };

  uv::Loop& loop_;
  bool allowed_ = false;
  Rank next_ = 0;
  std::set<Rank> free_;  ///< of those below next_
  std::map<Rank, Waiting> waiting_;
};

}  // namespace lbsp::launch::survival
