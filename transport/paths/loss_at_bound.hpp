#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "transport/paths/loss_estimate.hpp"

namespace lbsp::transport {

/// What a sender knows of the loss on a path: a report, and of how many datagrams.
struct KnownLoss {
  LossReport report;
  std::uint64_t packets;
};

/// Loss of what was sent since a bound of the rate began: before that, a queue dropped what came too fast. Or since
/// heavy loss was doubted (LossDoubt).
class LossAtBound {
 public:
  /// Later datagrams count. `none_lost`: besides so many that have arrived, which are supposed.
  void begin(std::uint64_t next_packet, std::uint64_t none_lost = 0) {
    first_packet_ = next_packet;
    none_lost_ = none_lost;
    before_.reset();
  }

  /// An echo tells of so many datagrams, of which so many have arrived, modulo 2^32.
  void echoed(std::uint64_t packets, std::uint32_t arrived) {
    if (first_packet_ && !before_ && packets >= *first_packet_) before_ = {packets, arrived};
  }

  /// Of what the newest echo tells, and what the peer reports of all that was sent.
  KnownLoss of(const LossReport& all, std::uint64_t packets, std::uint32_t last_arrived) const {
    if (!first_packet_) return {all, packets};
    if (!before_) return {{}, none_lost_};
    const std::uint64_t since = packets - before_->packets;
    if (static_cast<double>(since) >= LossEstimate::memory) return {all, packets};
    const std::uint64_t sent = since + none_lost_;
    const std::uint64_t arrived = static_cast<std::uint32_t>(last_arrived - before_->arrived) + none_lost_;
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
  std::uint64_t none_lost_ = 0;
  std::optional<Count> before_;
};

}  // namespace lbsp::transport
