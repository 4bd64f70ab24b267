#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "transport/exchange.hpp"

namespace lbsp::job::member {

/// What a rank exchanges by until it leaves. Any thread may call all but get(), also when the rank has left.
class HeldExchange {
 public:
  explicit HeldExchange(std::unique_ptr<transport::Exchange> exchange) : exchange_(std::move(exchange)) {}

  /// For the rank's own thread. Not after let_go().
  transport::Exchange& get() { return *exchange_; }

  /// Whom this rank waits for, a few at most: as Exchange::awaited().
  std::vector<Rank> awaited() {
    const std::lock_guard lock(leaving_);
    std::vector<Rank> ranks = exchange_ ? exchange_->awaited() : std::vector<Rank>{};
    ranks.resize(std::min(ranks.size(), most_awaited_told));
    return ranks;
  }
  /// Takes what the launcher says of other ranks.
  void take_notice(const LossNotice& notice) {
    const std::lock_guard lock(leaving_);
    if (exchange_) exchange_->take_notice(notice);
  }
  void take_departures(const std::vector<Rank>& ranks) {
    const std::lock_guard lock(leaving_);
    if (exchange_) exchange_->take_departures(ranks);
  }
  /// Whether it is rank 0 of its world; of one that it has left it is not.
  bool leads() {
    const std::lock_guard lock(leaving_);
    return exchange_ && exchange_->rank() == 0;
  }
  std::optional<transport::NetworkMeasure> network() {
    const std::lock_guard lock(leaving_);
    return exchange_ ? std::optional(exchange_->network()) : std::nullopt;
  }

  void let_go() {
    std::unique_ptr<transport::Exchange> left;  // its end takes time, in which another thread may ask
    const std::lock_guard lock(leaving_);
    left = std::move(exchange_);
  }

 private:
  std::mutex leaving_;
  std::unique_ptr<transport::Exchange> exchange_;
};

}  // namespace lbsp::job::member
