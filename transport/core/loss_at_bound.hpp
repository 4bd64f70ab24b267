#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "transport/core/loss_estimate.hpp"

namespace lbsp::transport {

/// What a sender knows of the loss on a path: a report, and of how many datagrams.
struct KnownLoss {
  LossReport report;
  std::uint64_t packets;
};

/// Loss of what was sent since a bound of the rate began: before that, a queue dropped what came too fast.
class LossAtBound {
 public:
  /// Later datagrams go at the bound.
  void begin(std::uint64_t next_packet) {
    first_packet_ = next_packet;
    before_.reset();
  }

  /// An echo tells of so many datagrams, of which so many have arrived, modulo 2^32.
  void echoed(std::uint64_t packets, std::uint32_t arrived) {
    if (first_packet_ && !before_ && packets >= *first_packet_) before_ = {packets, arrived};
  }

  /// Of what the newest echo tells, and what the peer reports of all that was sent.
  KnownLoss of(const LossReport& all, std::uint64_t packets, std::uint32_t last_arrived) const {
    if (!first_packet_) return {all, packets};
    if (!before_) return {{}, 0};
    const std::uint64_t sent = packets - before_->packets;
    const std::uint32_t arrived = last_arrived - before_->arrived;
    if (static_cast<double>(sent) >= LossEstimate::memory) return {all, packets};
    if (sent <= arrived) return {{}, sent};
    const double part = static_cast<double>(sent - arrived) / static_cast<double>(sent);
    const auto loss = static_cast<std::uint16_t>(std::lround(part * UINT16_MAX));
    return {loss < all.loss ? LossReport{.loss = loss, .loss_after_loss = loss} : all, sent};
  }

 private:
  struct Count {
    std::uint64_t packets = 0;
    std::uint32_t arrived = 0;
  };

  std::optional<std::uint64_t> first_packet_;
  std::optional<Count> before_;
};

}  // namespace lbsp::transport
