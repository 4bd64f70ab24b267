#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "transport/fifo.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// A first-in-first-out queue whose entries may become ready only later. Entries that become ready at the
/// same time keep their order, so that a run can be repeated exactly.
template <class Entry>
class DelayedQueue {
 public:
  void push(Entry entry) { ready_.push_back(std::move(entry)); }

  void push(Entry entry, Instant ready_at) { waiting_.push({ready_at, sequence_++, std::move(entry)}); }

  /// Moves what is ready at `now` behind what was ready before. To be called before ready() and pop().
  void release(Instant now) {
    while (!waiting_.empty() && waiting_.top().ready_at <= now) {
      ready_.push_back(waiting_.top().entry);
      waiting_.pop();
    }
  }

  /// Takes time proportional to the length.
  template <class Predicate>
  void remove_if(Predicate predicate) {
    ready_.remove_if(predicate);
    decltype(waiting_) kept;
    for (; !waiting_.empty(); waiting_.pop()) {
      if (!predicate(waiting_.top().entry)) kept.push(waiting_.top());
    }
    waiting_ = std::move(kept);
  }

  bool ready() const { return !ready_.empty(); }

  Entry pop() { return ready_.pop_front(); }

  /// When the next waiting entry becomes ready; `never` if none waits.
  Instant next_release() const { return waiting_.empty() ? never : waiting_.top().ready_at; }

 private:
  struct Waiting {
    Instant ready_at;
    std::uint64_t sequence;
    Entry entry;
    bool operator>(const Waiting& other) const {
      return std::pair(ready_at, sequence) > std::pair(other.ready_at, other.sequence);
    }
  };

  Fifo<Entry> ready_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::uint64_t sequence_ = 0;
};

}  // namespace lbsp::transport
