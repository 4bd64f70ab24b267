#include "transport/threads/threads_exchange.hpp"

#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"
#include "transport/threads/hub.hpp"

namespace lbsp::transport {
namespace {

using threads::Hub;

std::uint64_t total_bytes(const std::vector<Bytes>& messages, const std::vector<Rank>& of) {
  std::uint64_t total = 0;
  for (const Rank rank : of)
    total += messages[static_cast<std::size_t>(rank)].size();
  return total;
}

class ThreadsExchange final : public Exchange {
 public:
  ThreadsExchange(std::shared_ptr<Hub> hub, Rank rank) : hub_(std::move(hub)), rank_(rank) {
    for (Rank other = 0; other < hub_->size(); ++other) {
      if (other != rank) others_.push_back(other);
    }
  }
  ~ThreadsExchange() override { hub_->leave(rank_); }

  Rank rank() const noexcept override { return rank_; }
  Rank size() const noexcept override { return hub_->size(); }

  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    auto incoming = transfer(Leg::messages, std::move(outgoing), others_, others_);
    ++superstep_;
    return incoming;
  }

  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override {
    return transfer(Leg::replies, std::move(outgoing), destinations, sources);
  }

  void finish() override { hub_->finish(rank_); }
  void abort(std::string_view reason) noexcept override { hub_->abort(rank_, reason); }
  TrafficCounters counters() const override { return counters_; }
  NetworkMeasure network() const override { return {}; }

 private:
  std::vector<Bytes> transfer(Leg leg, std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                              const std::vector<Rank>& sources) {
    if (outgoing.size() != static_cast<std::size_t>(size())) {
      throw UsageError(
          fmt::format("{} messages to {} ranks: hand over one for each", outgoing.size(), size()));
    }
    counters_.payload_bytes_sent += total_bytes(outgoing, destinations);
    hub_->post(rank_, leg, outgoing, destinations);
    auto incoming = hub_->collect(rank_, leg, sources, superstep_);
    counters_.payload_bytes_received += total_bytes(incoming, sources);
    return incoming;
  }

  std::shared_ptr<Hub> hub_;
  Rank rank_;
  std::vector<Rank> others_;
  std::uint64_t superstep_ = 0;
  TrafficCounters counters_;
};

}  // namespace

std::vector<std::unique_ptr<Exchange>> make_threads_exchanges(Rank size) {
  const auto hub = std::make_shared<Hub>(size);
  std::vector<std::unique_ptr<Exchange>> exchanges;
  exchanges.reserve(static_cast<std::size_t>(size));
  for (Rank rank = 0; rank < size; ++rank)
    exchanges.push_back(std::make_unique<ThreadsExchange>(hub, rank));
  return exchanges;
}

}  // namespace lbsp::transport
