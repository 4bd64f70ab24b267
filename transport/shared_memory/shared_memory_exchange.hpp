#pragma once

#include <memory>
#include <vector>

#include "transport/exchange.hpp"
#include "transport/exchange_arguments.hpp"
#include "transport/shared_memory/links.hpp"
#include "transport/shared_memory/segment.hpp"

namespace lbsp::transport {

/// Supersteps between ranks that are all on one host. Nothing goes through a network, so of the counters only the
/// payload bytes count, and nothing is measured or forecast. A rank may still have messages of others after those have
/// finished and ended.
class SharedMemoryExchange final : public Exchange, private Lending {
 public:
  /// The first `size` seats of `ground` are the job. Throws what Links throws. `max_message_bytes` as in
  /// ExchangeOptions.
  SharedMemoryExchange(shared_memory::Ground ground, const shared_memory::LinksConfig& config, Rank size,
                       std::uint64_t max_message_bytes);

  Rank rank() const noexcept override { return rank_; }
  Rank size() const noexcept override { return size_; }
  Lending* lending() noexcept override { return this; }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override;
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override;
  void finish() override { links_.end().finish(); }
  void abort(std::string_view reason) noexcept override { links_.end().abort(reason); }
  TrafficCounters counters() const override { return counters_; }
  NetworkMeasure network() const override { return {}; }
  Duration network_thread_time() override { return links_.thread_time(); }

 private:
  std::span<std::byte> room(Rank to, std::size_t bytes, std::size_t used) override;
  void copy(Rank to, std::byte* place, std::span<const std::byte> bytes) override;
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths, bool last,
                                                       const Deed& meanwhile) override;
  std::span<const std::span<const std::byte>> exchange_alike(Alike message, const Deed& meanwhile) override;
  std::size_t least_offer(Rank to) const override { return links_.fetches().least_offer(to); }
  std::uint64_t offer(Rank to, std::span<const std::byte> memory) override;
  void fetch(Rank from, std::uint64_t address, std::span<std::byte> into) override;
  void settle(Leg leg, std::span<const Rank> owners, std::span<const Rank> readers) override;

  /// After all have been posted: does `meanwhile`, has the others look, and waits for their messages.
  std::span<const std::span<const std::byte>> complete(std::uint64_t sent, const Deed& meanwhile);

  Rank rank_;
  Rank size_;
  MessageCeiling ceiling_;
  std::vector<Rank> others_;  ///< from the next one on, so that not all begin with the same
  std::uint64_t superstep_ = 0;
  TrafficCounters counters_;
  std::vector<std::span<const std::byte>> arrived_;  ///< by source; of lending
  shared_memory::Links links_;
};

/// The file of this process's host, made by SegmentFile::create(), as the ground of one rank's links. Throws
/// SystemError if this process cannot have it.
shared_memory::Ground open_segment(shared_memory::SegmentFile file, const shared_memory::Geometry& geometry,
                                   Rank seat);

}  // namespace lbsp::transport
