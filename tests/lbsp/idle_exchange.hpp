#pragma once

#include <string_view>
#include <vector>

#include "transport/exchange.hpp"

namespace lbsp::test {

/// A backend that carries nothing: what a rank sends comes back to it. Tests override what they are about.
class IdleExchange : public transport::Exchange {
 public:
  Rank rank() const noexcept override { return 0; }
  Rank size() const noexcept override { return 1; }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override { return outgoing; }
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>&,
                           const std::vector<Rank>&) override {
    return outgoing;
  }
  void finish() override {}
  void abort(std::string_view) noexcept override {}
  transport::TrafficCounters counters() const override { return {}; }
  transport::NetworkMeasure network() const override { return {}; }
};

}  // namespace lbsp::test
