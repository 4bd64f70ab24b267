#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "transport/shared_memory/board.hpp"
#include "transport/units.hpp"

namespace lbsp::transport::shared_memory {

/// How the job ends for the ranks of one host: each has finished, or one has ended it for all, or one is lost. What is
/// thrown here names that one, and all ranks throw the same.
///
/// One thread uses it; only abort() and end() may be called from others.
class JobEnd {
 public:
  /// For the rank of seat `self`, of which the rank of seat 0 is `first_rank`.
  JobEnd(Board board, Rank self, Rank first_rank) : board_(board), self_(self), first_rank_(first_rank) {}

  /// Throws Aborted, or what end() said, if a rank has ended the job.
  void throw_if_ended() const {
    if (board_.notice().end.load(std::memory_order_acquire) == Notice::End::told) [[unlikely]]
      throw_told();
  }
  /// The same, and PeerLost if one of these ranks is lost.
  void throw_if_lost(std::span<const Rank> ranks, std::uint64_t superstep) const;
  /// The rank has gone, and what it was to send in that superstep has not come.
  [[noreturn]] void throw_gone(Rank rank, std::uint64_t superstep) const;

  /// This rank sends nothing more, and that is in order.
  void finish() const;
  /// The first call of any rank ends the job for all. From any thread.
  void abort(std::string_view reason) const noexcept;
  /// The same with an error of this rank that all are to have: PeerLost of `lost`, or else Aborted.
  void end(std::string_view error, std::optional<Rank> lost) const noexcept;

 private:
  [[noreturn]] void throw_told() const;

  Board board_;
  Rank self_;
  Rank first_rank_;
};

}  // namespace lbsp::transport::shared_memory
