#pragma once

#include <string_view>
#include <vector>

#include "transport/exchange.hpp"

namespace lbsp::bsplib {

/// The exchange of one SPMD part: the first `size` ranks of the job's. Its end is not that of the job's exchange, which
/// may have another part. A rank of the job that is not in the part takes part in the job's exchanges with empty
/// messages as long as it lasts (SpmdParts::follow()).
class PartExchange final : public transport::Exchange, private transport::Lending {
 public:
  /// The job's exchange must outlive it.
  PartExchange(transport::Exchange& job, Rank size);

  Rank rank() const noexcept override { return job_.rank(); }
  Rank size() const noexcept override { return size_; }
  transport::Lending* lending() noexcept override { return lending_ != nullptr ? this : nullptr; }

  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override;
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override;
  void finish() override {}
  void abort(std::string_view reason) noexcept override { job_.abort(reason); }

  transport::TrafficCounters counters() const override { return job_.counters(); }
  transport::NetworkMeasure network() const override { return job_.network(); }
  transport::Forecast forecast() const override { return job_.forecast(); }

 private:
  std::span<std::byte> room(Rank to, std::size_t bytes, std::size_t used) override {
    return lending_->room(to, bytes, used);
  }
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths,
                                                       bool last) override;
  std::size_t least_offer(Rank to) const override { return lending_->least_offer(to); }
  std::uint64_t offer(Rank to, std::span<const std::byte> memory) override {
    return lending_->offer(to, memory);
  }
  void fetch(Rank from, std::uint64_t address, std::span<std::byte> into) override {
    lending_->fetch(from, address, into);
  }
  void settle(Leg leg, std::span<const Rank> owners, std::span<const Rank> readers) override {
    lending_->settle(leg, owners, readers);
  }

  transport::Exchange& job_;
  transport::Lending* lending_;
  Rank size_;
  std::vector<std::size_t> lengths_;  ///< by rank of the job; none for those that are not in the part
};

}  // namespace lbsp::bsplib
