#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "transport/wire/message_id.hpp"

namespace lbsp::transport {

/// The messages of one direction of one pair that are under way. The protocol lets a peer be one superstep
/// ahead at most, so there are at most two supersteps' legs here, and what is early for some later ones.
template <class Message>
class OpenMessages {
 public:
  Message* find(MessageId id) {
    for (Message& message : messages_) {
      if (message.id() == id) return &message;
    }
    return nullptr;
  }

  const Message* find(MessageId id) const { return const_cast<OpenMessages*>(this)->find(id); }

  Message& add(Message message) { return messages_.emplace_back(std::move(message)); }

  /// Returns how many were removed.
  template <class Predicate>
  std::size_t remove_if(Predicate predicate) {
    return std::erase_if(messages_, predicate);
  }

  bool empty() const { return messages_.empty(); }
  auto begin() { return messages_.begin(); }
  auto end() { return messages_.end(); }
  auto begin() const { return messages_.begin(); }
  auto end() const { return messages_.end(); }

 private:
  std::vector<Message> messages_;
};

}  // namespace lbsp::transport
