#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "transport/shared_memory/board.hpp"
#include "transport/shared_memory/inbox.hpp"
#include "transport/shared_memory/job_end.hpp"
#include "transport/shared_memory/outbox.hpp"
#include "transport/shared_memory/reach.hpp"

namespace lbsp::transport::shared_memory {

/// What one rank copies straight from the memory of the other ranks of its host, and they from its own.
class Fetches {
 public:
  /// Without `reach`, nothing can be fetched. All references must outlive this.
  Fetches(Board board, const LinksConfig& config, std::shared_ptr<const Reach> reach, const JobEnd& end,
          Outbox& outbox, Inbox& inbox);

  /// Tries whether this rank can fetch() from the others, which have all sent it a message, and tells them if so.
  void try_reach(std::span<const Rank> others);
  /// From so many bytes on, that rank fetches from this one faster than both copy a message; never if it cannot fetch.
  std::size_t least_offer(Rank to) const {
    const bool can = board_.seat(to).reaches_all.load(std::memory_order_acquire) != 0;
    return can ? least_offer_ : std::numeric_limits<std::size_t>::max();
  }
  /// Copies from the memory of another rank. Throws as Inbox::await() if that rank has ended, and Error if it has no
  /// such memory.
  void fetch(Rank from, std::uint64_t address, std::span<std::byte> into, std::uint64_t superstep);
  /// Lending::settle() with seats, in the superstep that is the `count`-th.
  void settle(bool of_first_leg, std::uint64_t count, std::span<const Rank> owners,
              std::span<const Rank> readers);

 private:
  Board board_;
  const LinksConfig& config_;
  std::shared_ptr<const Reach> reach_;
  const JobEnd& end_;
  Outbox& outbox_;
  Inbox& inbox_;
  std::size_t least_offer_;
};

}  // namespace lbsp::transport::shared_memory
