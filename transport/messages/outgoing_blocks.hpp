#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "transport/messages/block_layout.hpp"
#include "transport/redundancy.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The coded segments that were sent for one block of a message, and what is known of them.
struct OutgoingBlock {
  struct Sent {
    std::uint64_t packet_number;
    Instant at;
  };

  std::vector<Sent> under_way;  ///< coded segments that no report can have covered yet
  std::uint8_t next_coded = 0;  ///< the number of the next coded segment; none is sent twice
  std::uint8_t planned = 0;     ///< coded segments that are still to be sent as planned
  std::uint8_t spare = 0;       ///< coded segments that may go out while nothing else is to be sent
  std::uint8_t queued = 0;      ///< coded segments that are queued as repairs
  std::uint8_t held = 0;        ///< coded segments that the receiver has

  bool may_spare() const { return spare > 0 && !exhausted(); }
  bool exhausted() const { return next_coded + planned + queued >= most_repair_segments; }
  /// Coded segments that may still arrive.
  int expected() const { return planned + queued + static_cast<int>(under_way.size()); }
};

/// The blocks of a message whose plan is coded. There are none before plan(), and none of a message that is
/// sent in copies.
class OutgoingBlocks {
 public:
  explicit OutgoingBlocks(std::uint32_t segments) : layout_(segments) {}

  /// Plans r coded segments for each block that has segments from `first_protected` on, and the spare ones of all.
  void plan(const MessagePlan& plan);

  const BlockLayout& layout() const { return layout_; }
  OutgoingBlock& operator[](std::uint32_t block) { return blocks_[block]; }

  /// Plans some of the block's spare coded segments, so that it has this many in all. Returns whether it had none left
  /// to send, and has some now.
  bool plan_without_spares(std::uint32_t block, int coded_segments);

  /// The receiver has told that it has this many coded segments of the block, which need not exist.
  void note_held(std::uint32_t block, std::uint32_t coded);
  /// The next block whose planned coded segments are to be sent, once all segments below `sent` have been;
  /// each block once.
  std::optional<std::uint32_t> next_to_code(std::uint32_t sent);
  /// The most planned transmissions for each segment of any block: 1 + r/m rounded up.
  int most_transmissions() const;

 private:
  BlockLayout layout_;
  std::vector<OutgoingBlock> blocks_;
  std::uint32_t next_to_code_ = 0;
};

}  // namespace lbsp::transport
