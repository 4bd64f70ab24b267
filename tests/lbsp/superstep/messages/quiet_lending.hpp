#pragma once

#include "transport/exchange.hpp"

namespace lbsp::superstep {

/// Lends no room, offers 16 bytes or more, and has nothing to fetch or to settle.
class QuietLending : public transport::Lending {
 public:
  std::span<std::byte> room(Rank, std::size_t, std::size_t) override { return {}; }
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t>, bool,
                                                       const Deed& meanwhile) override {
    meanwhile();
    return {};
  }
  std::span<const std::span<const std::byte>> exchange_alike(Alike, const Deed& meanwhile) override {
    meanwhile();
    return {};
  }
  std::size_t least_offer(Rank) const override { return 16; }
  std::uint64_t offer(Rank, std::span<const std::byte>) override { return 1; }
  void fetch(Rank, std::uint64_t, std::span<std::byte>) override {}
  void settle(Leg, std::span<const Rank>, std::span<const Rank>) override {}
};

}  // namespace lbsp::superstep
