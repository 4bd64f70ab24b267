#pragma once

#include <algorithm>
#include <cstdint>

#include "transport/fifo.hpp"
#include "transport/messages/oldest_first_queue.hpp"
#include "transport/units.hpp"
#include "transport/wire/message_id.hpp"

namespace lbsp::transport {

/// One pass over one message: pass 0 sends the first copy of every segment, pass i the (i+1)-th. A coded pass
/// sends the planned coded segments of one block.
struct PassJob {
  static constexpr int coded = -1;

  Rank peer = 0;
  MessageId message;
  int pass = 0;
  std::uint32_t next_segment = 0;  ///< of a coded pass: the block
};

/// One segment that was found lost and goes out again, or a coded segment for a block that lacks some.
struct RepairJob {
  Rank peer = 0;
  MessageId message;
  std::uint32_t segment = 0;  ///< or the block
  bool coded = false;
};

/// Spare coded segments for the blocks of a message from `first_block` on, one for each in turn.
struct SpareJob {
  Rank peer = 0;
  MessageId message;
  std::uint32_t first_block = 0;
  std::uint32_t next_block = 0;
  Instant until{};
};

/// An acknowledgement of one segment, of the paper's rounds.
struct AckJob {
  Rank peer = 0;
  MessageId message;
  std::uint16_t round = 0;
  std::uint32_t segment = 0;
};

/// What is to be sent, in order: acknowledgements, then data, the oldest message first. A peer that lacks a part
/// of it keeps the whole job waiting, while nobody can use a later one yet. Of one message, repairs go first,
/// since a receiver already waits for them. Passes of one leg take turns, one segment each, so that copies of a
/// segment stand apart by all that the other messages send meanwhile, and so that no receiver is hit by all
/// senders at once (a rank's first turn is its successor's). Spare coded segments go when nothing else is ready.
struct SendQueue {
  Fifo<AckJob> acknowledgements;
  OldestFirstQueue<RepairJob> repairs;
  OldestFirstQueue<PassJob> passes;
  Fifo<SpareJob> spares;

  void release(Instant now) {
    repairs.release(now);
    passes.release(now);
  }
  bool ready() const { return !acknowledgements.empty() || data_ready() || !spares.empty(); }
  bool data_ready() const { return repairs.ready() || passes.ready(); }
  /// Whether a repair is ready, and no pass of an older message.
  bool repair_is_next() const {
    return repairs.ready() && (!passes.ready() || repairs.front().message <= passes.front().message);
  }
  Instant next_release() const { return std::min(repairs.next_release(), passes.next_release()); }
};

}  // namespace lbsp::transport
