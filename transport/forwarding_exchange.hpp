#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/exchange.hpp"

namespace lbsp::transport {

/// Another exchange as it is: the base of those that change a part of it.
class ForwardingExchange : public Exchange, protected Lending {
 public:
  /// `inner` must outlive it.
  explicit ForwardingExchange(Exchange& inner) : inner_(inner), lending_(inner.lending()) {}

  Rank rank() const noexcept override { return inner_.rank(); }
  Rank size() const noexcept override { return inner_.size(); }
  void check_message(Rank to, std::size_t bytes) const override { inner_.check_message(to, bytes); }
  Lending* lending() noexcept final { return lending_ != nullptr ? this : nullptr; }

  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    return inner_.exchange(std::move(outgoing));
  }
  std::vector<Bytes> last_exchange(std::vector<Bytes> outgoing) override {
    return inner_.last_exchange(std::move(outgoing));
  }
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override {
    return inner_.reply(std::move(outgoing), destinations, sources);
  }
  std::uint32_t most_early() const noexcept override { return inner_.most_early(); }
  void send_early(EarlyMessages messages) override { inner_.send_early(std::move(messages)); }
  std::vector<Bytes> receive_early(const std::vector<Rank>& sources) override {
    return inner_.receive_early(sources);
  }
  void hold(std::uint64_t boundary) override { inner_.hold(boundary); }
  void grow() override { inner_.grow(); }
  void finish() override { inner_.finish(); }
  void abort(std::string_view reason) noexcept override { inner_.abort(reason); }

  TrafficCounters counters() const override { return inner_.counters(); }
  NetworkMeasure network() const override { return inner_.network(); }
  std::vector<Rank> awaited() override { return inner_.awaited(); }
  Forecast forecast() const override { return inner_.forecast(); }
  Duration network_thread_time() override { return inner_.network_thread_time(); }

 protected:
  Exchange& inner() { return inner_; }

  std::span<std::byte> room(Rank to, std::size_t bytes, std::size_t used) override {
    return lending_->room(to, bytes, used);
  }
  void copy(Rank to, std::byte* place, std::span<const std::byte> bytes) override {
    lending_->copy(to, place, bytes);
  }
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths, bool last,
                                                       const Deed& meanwhile) override {
    return lending_->exchange(lengths, last, meanwhile);
  }
  std::span<const std::span<const std::byte>> exchange_alike(Alike message, const Deed& meanwhile) override {
    return lending_->exchange_alike(message, meanwhile);
  }
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

 private:
  Exchange& inner_;
  Lending* const lending_;  ///< the inner one's, if it has it
};

}  // namespace lbsp::transport
