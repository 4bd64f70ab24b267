#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lbsp/superstep/agreement/slot_table.hpp"
#include "lbsp/superstep/messages/message_reader.hpp"
#include "lbsp/superstep/messages/offers.hpp"
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

  /// Whether a get will be filled into some of this memory.
  bool fill_some_of(std::span<const std::byte> memory) const;

  /// Copies a reply, or what it offers, to the places of the gets, and forgets them. Throws Error if it is not their
  /// reply, and as Offers::fetch().
  void fill(std::span<const std::byte> reply, const Origin& origin, Offers& offers);

 private:
  struct Get {
    std::span<std::byte> into;
    std::shared_ptr<Completion> completion;
  };
  std::vector<Get> gets_;
  std::uint64_t bytes_ = 0;
};

/// Reads what the gets of `message` ask for, as it is now; or offers it, unless one of the own gets, by the rank asked,
/// will change it. Throws UsageError if one asks for something that is not registered here, and MessageTooLarge if
/// there is not enough memory.
Bytes answer_gets(const Message& message, SlotTable& slots, Rank here, std::span<const PendingGets> own,
                  Offers& offers);

}  // namespace lbsp::superstep
