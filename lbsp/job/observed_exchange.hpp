#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/exchange.hpp"

namespace lbsp::job {

/// Another exchange, and what others may know of it while it runs: how far it is, and whether it was this
/// rank that ended the job.
class ObservedExchange final : public transport::Exchange {
 public:
  explicit ObservedExchange(transport::Exchange& inner) : inner_(inner) {}

  /// Completed first legs. Any thread may ask.
  std::uint64_t supersteps() const noexcept { return supersteps_.load(std::memory_order_relaxed); }
  /// Any thread may ask.
  bool aborted_here() const noexcept { return aborted_here_.load(std::memory_order_relaxed); }

  Rank rank() const noexcept override { return inner_.rank(); }
  Rank size() const noexcept override { return inner_.size(); }

  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    auto incoming = inner_.exchange(std::move(outgoing));
    supersteps_.fetch_add(1, std::memory_order_relaxed);
    return incoming;
  }

  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override {
    return inner_.reply(std::move(outgoing), destinations, sources);
  }

  void finish() override { inner_.finish(); }

  void abort(std::string_view reason) noexcept override {
    aborted_here_.store(true, std::memory_order_relaxed);
    inner_.abort(reason);
  }

  transport::TrafficCounters counters() const override { return inner_.counters(); }
  transport::NetworkMeasure network() const override { return inner_.network(); }
  transport::Forecast forecast() const override { return inner_.forecast(); }

 private:
  transport::Exchange& inner_;
  std::atomic<std::uint64_t> supersteps_ = 0;
  std::atomic<bool> aborted_here_ = false;
};

}  // namespace lbsp::job
