#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lbsp::transport {

/// A first-in-first-out queue in one piece of memory, which it keeps. It allocates only when it is longer than ever
/// before; std::deque takes and gives back memory all the time while entries pass through it.
template <class Entry>
class Fifo {
 public:
  bool empty() const { return head_ == entries_.size(); }
  std::size_t size() const { return entries_.size() - head_; }

  auto begin() { return entries_.begin() + static_cast<std::ptrdiff_t>(head_); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin() + static_cast<std::ptrdiff_t>(head_); }
  auto end() const { return entries_.end(); }
  Entry& operator[](std::size_t index) { return entries_[head_ + index]; }
  const Entry& front() const { return entries_[head_]; }
  const Entry& back() const { return entries_.back(); }

  void push_back(Entry&& entry) {
    make_room();
    entries_.push_back(std::move(entry));
  }
  void push_back(const Entry& entry) {
    make_room();
    entries_.push_back(entry);
  }
  void insert(typename std::vector<Entry>::iterator before, Entry entry) {
    entries_.insert(before, std::move(entry));
  }
  Entry pop_front() {
    Entry entry = std::move(entries_[head_]);
    if (++head_ == entries_.size()) clear();
    return entry;
  }
  void clear() {
    entries_.clear();
    head_ = 0;
  }
  /// Takes time proportional to the length.
  template <class Predicate>
  void remove_if(Predicate predicate) {
    close_up();
    std::erase_if(entries_, predicate);
  }

 private:
  /// What has been taken makes room, once it is as much as what has to be moved for that.
  void make_room() {
    if (entries_.size() == entries_.capacity() && head_ >= size() && head_ > 0) close_up();
  }
  void close_up() {
    entries_.erase(entries_.begin(), begin());
    head_ = 0;
  }

  std::vector<Entry> entries_;  ///< those before head_ have been taken
  std::size_t head_ = 0;
};

}  // namespace lbsp::transport
