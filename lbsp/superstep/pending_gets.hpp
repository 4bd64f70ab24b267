#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lbsp/superstep/message_reader.hpp"
#include "lbsp/superstep/slot_table.hpp"
#include "transport/bytes.hpp"

namespace lbsp::superstep {

/// Set when a get has been filled.
struct Completion {
  bool done = false;
};

/// The gets that this rank asked of one other rank in this superstep, in the order of the calls.
class PendingGets {
 public:
  /// `completion`, if any, is set and released when the get is filled.
  void add(std::span<std::byte> into, std::shared_ptr<Completion> completion);
  bool empty() const { return gets_.empty(); }

  /// Copies a reply to the places of the gets, and forgets them. Throws Error if it is not their reply.
  void fill(std::span<const std::byte> reply, const Origin& origin);

 private:
  struct Get {
    std::span<std::byte> into;
    std::shared_ptr<Completion> completion;
  };
  std::vector<Get> gets_;
  std::uint64_t bytes_ = 0;
};

/// Reads what the gets of `message` ask for, as it is now. Throws UsageError if one asks for something that
/// is not registered here, and MessageTooLarge if there is not enough memory.
Bytes answer_gets(const Message& message, SlotTable& slots, Rank here);

}  // namespace lbsp::superstep
