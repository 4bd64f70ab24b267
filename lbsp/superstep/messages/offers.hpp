#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/exchange.hpp"

namespace lbsp::superstep {

/// Memory that one leg of a superstep leaves where it is, for the receiver to copy from: what this rank offers, and
/// what it fetches of the others' offers.
class Offers {
 public:
  using Leg = transport::Lending::Leg;

  /// For rank `rank` of `size`. Without `lending`, which must outlive this, nothing pays.
  Offers(transport::Lending* lending, Leg leg, Rank rank, Rank size)
      : lending_(lending),
        leg_(leg),
        rank_(rank),
        readers_(static_cast<std::size_t>(size)),
        owners_(static_cast<std::size_t>(size)) {}

  /// From so many bytes on, an offer to that rank pays. To the rank itself it always does.
  std::size_t least(Rank to) const;
  /// Returns the memory's address for that rank, for which it pays.
  std::uint64_t offer(Rank to, std::span<const std::byte> memory);
  /// Copies what `from` has offered. Throws as Lending::fetch().
  void fetch(Rank from, std::uint64_t address, std::span<std::byte> into);
  /// Returns when nobody fetches any more what this rank has offered. Throws as Lending::settle().
  void settle();
  /// Forgets what has been offered and told nobody.
  void withdraw();

  /// To and from the other ranks, since the last settle().
  std::uint64_t offered_bytes() const { return offered_bytes_; }
  std::uint64_t fetched_bytes() const { return fetched_bytes_; }

 private:
  /// Some of the ranks, each once.
  class Ranks {
   public:
    explicit Ranks(std::size_t size) : has_(size) {}

    void add(Rank rank);
    void clear();
    std::span<const Rank> all() const { return ranks_; }

   private:
    std::vector<bool> has_;
    std::vector<Rank> ranks_;
  };

  transport::Lending* lending_;
  Leg leg_;
  Rank rank_;
  Ranks readers_;
  Ranks owners_;
  std::uint64_t offered_bytes_ = 0;
  std::uint64_t fetched_bytes_ = 0;
};

}  // namespace lbsp::superstep
