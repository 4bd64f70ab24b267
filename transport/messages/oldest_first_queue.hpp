#pragma once

#include <algorithm>
#include <utility>

#include "transport/fifo.hpp"
#include "transport/messages/delayed_queue.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// A queue of jobs that are each for a message (`Job::message`). Jobs for the oldest message come first, jobs
/// for the same one in the order in which they became ready. Jobs may become ready only later.
template <class Job>
class OldestFirstQueue {
 public:
  void push(Job job) {
    if (ready_.empty() || ready_.back().message <= job.message) {
      ready_.push_back(std::move(job));
      return;
    }
    const auto newer = std::ranges::upper_bound(ready_, job.message, {}, &Job::message);
    ready_.insert(newer, std::move(job));
  }

  void push(Job job, Instant ready_at) { waiting_.push(std::move(job), ready_at); }

  /// To be called before ready(), front() and pop().
  void release(Instant now) {
    if (waiting_.next_release() <= now) release_waiting(now);
  }

  /// Takes time proportional to the length.
  template <class Predicate>
  void remove_if(Predicate predicate) {
    ready_.remove_if(predicate);
    waiting_.remove_if(predicate);
  }

  bool ready() const { return !ready_.empty(); }
  const Job& front() const { return ready_.front(); }

  Job pop() { return ready_.pop_front(); }
  /// The first job has had its turn, and goes on as change(job) makes it, behind all others for the same message.
  template <class Change>
  void turn(Change change) {
    change(ready_[0]);
    if (ready_.size() > 1 && ready_[1].message <= ready_[0].message) push(ready_.pop_front());
  }

  /// When the next waiting job becomes ready; `never` if none waits.
  Instant next_release() const { return waiting_.next_release(); }

 private:
  [[gnu::noinline]] void release_waiting(Instant now) {
    waiting_.release(now);
    while (waiting_.ready())
      push(waiting_.pop());
  }

  Fifo<Job> ready_;
  DelayedQueue<Job> waiting_;
};

}  // namespace lbsp::transport
