#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "lbsp/bsplib/bsp_registration.hpp"
#include "lbsp/bsplib/call_errors.hpp"

namespace lbsp::bsplib {

/// A message's place in the queue's memory.
struct Views {
  const void* tag;
  const void* payload;
};

/// Bulk-synchronous message passing: one rank's queue of messages, and the size of their tags. The contracts
/// of the calls are in bsp.h. All throw UsageError, as CallErrors words it.
class Bsmp {
 public:
  /// Both must outlive it.
  Bsmp(World& world, const CallErrors& errors);

  /// Returns the size that the call before set.
  Number set_tagsize(Number bytes);
  void send(const char* call, Number pid, const void* tag, const void* payload, Number bytes);
  Number messages() const { return static_cast<Number>(queue_.received().size() - taken_); }
  Number payload_bytes() const { return payload_left_; }
  /// Payload of the first message, or -1.
  Number get_tag(void* tag);
  void move(void* payload, Number bytes);
  /// Payload of the first message, which is removed; nothing if there is none.
  std::optional<Number> hpmove(Views& views);

  /// After each sync: the queue holds what arrived, and the new tag size is in force.
  void next_superstep() {
    send_tag_ = next_tag_;
    taken_ = 0;
    payload_left_ = 0;
    if (!tags_.empty() || !queue_.received().empty()) settle();
  }

 private:
  const superstep::Received& first() const { return queue_.received()[taken_]; }
  void take();
  /// What most syncs need not do.
  void settle();

  const CallErrors& errors_;
  BspRegistration queue_;
  std::size_t taken_ = 0;
  Number payload_left_ = 0;
  Number send_tag_ = 0;
  Number next_tag_ = 0;
  std::deque<std::vector<std::byte>> tags_;  ///< copies of tags that arrived less aligned than hpmove owes
};

}  // namespace lbsp::bsplib
