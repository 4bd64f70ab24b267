#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>

#include "lbsp/registration.hpp"
#include "lbsp/superstep/messages/layout.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

/// Sends messages to any rank. A message has a tag and any number of values of type T. All ranks make their
/// queues in the same order.
///
/// A message is there after the sync that ends the superstep. Messages are ordered by source rank, then in
/// the order of the calls. They are gone at the next sync, whether they were read or not. A message may have
/// no values. values() is a view of what arrived, not a copy.
///
///     lbsp::Queue<double, int> queue(world);
///     queue.send(next, 7, values);
///     world.sync();
///     for (const auto message : queue) use(message.source(), message.tag(), message.values());
template <class T, class Tag = std::uint64_t>
class Queue {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<Tag>,
                "values and tags travel as they lie in memory");
  static_assert(alignof(T) <= superstep::alignment,
                "values are viewed where they arrived, aligned to 16 bytes");

 public:
  class Message {
   public:
    Rank source() const { return received_->source; }
    Tag tag() const {
      Tag tag;
      std::memcpy(&tag, received_->tag.data(), sizeof(tag));
      return tag;
    }
    /// Valid to the next sync.
    std::span<const T> values() const {
      return {reinterpret_cast<const T*>(received_->values.data()), received_->values.size() / sizeof(T)};
    }

   private:
    friend class Queue;
    explicit Message(const superstep::Received* received) : received_(received) {}

    const superstep::Received* received_;
  };

  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Message;

    Message operator*() const { return Message(received_); }
    Iterator& operator++() {
      ++received_;
      return *this;
    }
    void operator++(int) { ++received_; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend class Queue;
    explicit Iterator(const superstep::Received* received) : received_(received) {}

    const superstep::Received* received_;
  };

  explicit Queue(World& world)
      : registration_(world, {superstep::SlotKind::queue, sizeof(T), sizeof(Tag), {}, nullptr}) {}

  /// Sends a message, which is copied now. Throws UsageError if there is no rank `to`.
  void send(Rank to, const Tag& tag, std::span<const T> values) const {
    registration_.send(to, std::as_bytes(std::span(&tag, 1)), std::as_bytes(values));
  }
  void send(Rank to, const Tag& tag, const T& value) const { send(to, tag, std::span(&value, 1)); }

  /// Sends a message of `count` values, which the program writes itself to the memory that this returns: all of them,
  /// before its next transfer to that rank and before the next sync. They are anything until then. It saves the copy
  /// that send() makes: between ranks of one host, the receiver reads the values where they were written. Throws as
  /// send() does.
  std::span<T> send_in_place(Rank to, const Tag& tag, std::size_t count) const {
    const std::size_t there_can_be = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
    const auto bytes = registration_.send_in_place(to, std::as_bytes(std::span(&tag, 1)),
                                                   std::min(count, there_can_be) * sizeof(T));
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// How many messages the last sync brought.
  std::size_t size() const { return registration_.received().size(); }
  bool empty() const { return size() == 0; }
  /// Without NDEBUG, throws UsageError with the index and the size if there is no such message.
  Message operator[](std::size_t index) const {
    if (checks_indices && index >= size()) registration_.refuse_index(index, size(), "messages");
    return Message(&registration_.received()[index]);
  }
  Iterator begin() const { return Iterator(registration_.received().data()); }
  Iterator end() const { return Iterator(registration_.received().data() + size()); }

 private:
  Registration registration_;
};

}  // namespace lbsp
