#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lbsp/superstep/agreement/slot_table.hpp"
#include "lbsp/superstep/messages/message_writer.hpp"
#include "transport/units.hpp"

namespace lbsp::superstep {

/// Puts into one slot of single bytes, with everything they need at hand. It is for an interface that does
/// more at each put than Transfers::put(), but must not cost more.
class BytePuts {
 public:
  BytePuts() = default;
  BytePuts(std::span<const std::uint64_t> bytes_at, std::span<MessageWriter> writers, SlotNumber slot)
      : bytes_at_(bytes_at), writers_(writers.data()), slot_(slot) {}

  /// Puts at least one byte. Does nothing and returns false where Transfers::put() would throw.
  bool try_put(Rank to, std::uint64_t offset, std::span<const std::byte> data) const {
    const auto rank = static_cast<std::uint32_t>(to);
    if (rank >= bytes_at_.size()) return false;
    const std::uint64_t bytes = bytes_at_[rank];
    if (offset > bytes || data.size() > bytes - offset) return false;
    writers_[rank].put(slot_, offset, data);
    return true;
  }

 private:
  std::span<const std::uint64_t> bytes_at_;  ///< by rank; of a vector in the slot, which stays where it is
  MessageWriter* writers_ = nullptr;         ///< by rank
  SlotNumber slot_ = 0;
};

}  // namespace lbsp::superstep
