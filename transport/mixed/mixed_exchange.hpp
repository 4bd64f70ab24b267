#pragma once

#include <vector>

#include "transport/exchange.hpp"
#include "transport/exchange_arguments.hpp"
#include "transport/message_storage.hpp"
#include "transport/shared_memory/links.hpp"
#include "transport/udp/udp_exchange.hpp"

namespace lbsp::transport {

/// Supersteps of a job over several hosts: with the ranks of this rank's own host through memory, with the others over
/// UDP. What goes over UDP is begun first. The ranks of one host also take leave of each other over UDP, by empty
/// messages, so that the job ends as one over UDP alone.
///
/// The traffic, the measures and the forecasts are those of UDP; only the payload counts messages in memory too.
class MixedExchange final : public Exchange, private Lending {
 public:
  /// `near.first_rank` and the seats of `ground` say which ranks are on this host. Throws what Links and UdpExchange
  /// throw.
  MixedExchange(shared_memory::Ground ground, shared_memory::LinksConfig near, UdpPort port,
                const UdpJob& job);

  Rank rank() const noexcept override { return udp_.rank(); }
  Rank size() const noexcept override { return udp_.size(); }
  Lending* lending() noexcept override { return this; }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override;
  std::vector<Bytes> last_exchange(std::vector<Bytes> outgoing) override;
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override;
  void finish() override;
  void abort(std::string_view reason) noexcept override;
  void take_departures(const std::vector<Rank>& ranks) noexcept override { udp_.take_departures(ranks); }
  TrafficCounters counters() const override;
  NetworkMeasure network() const override { return udp_.network(); }
  /// Those of other hosts.
  std::vector<Rank> awaited() override { return udp_.awaited(); }
  Forecast forecast() const override { return udp_.forecast(); }
  /// And of the thread that shows those of this host that the rank lives.
  Duration network_thread_time() override { return udp_.network_thread_time() + links_.thread_time(); }

 private:
  /// The replies in memory. Ranks are seats.
  std::span<std::byte> room(Rank to, std::size_t bytes, std::size_t used) override;
  void copy(Rank to, std::byte* place, std::span<const std::byte> bytes) override;
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths, bool last,
                                                       const Deed& meanwhile) override;
  std::span<const std::span<const std::byte>> exchange_alike(Alike message, const Deed& meanwhile) override;
  std::size_t least_offer(Rank to) const override;
  std::uint64_t offer(Rank to, std::span<const std::byte> memory) override;
  void fetch(Rank from, std::uint64_t address, std::span<std::byte> into) override;
  void settle(Leg leg, std::span<const Rank> owners, std::span<const Rank> readers) override;

  bool is_near(Rank rank) const { return rank >= first_near_ && rank - first_near_ < links_.seats(); }
  /// Of the rank of that seat.
  std::size_t index_of(Rank seat) const {
    const Rank rank = first_near_ + seat;
    return static_cast<std::size_t>(rank);
  }
  /// Calls call(). What ends the job for this rank is told to those of its host, who may hear of it later.
  template <class Call>
  auto telling_neighbours(const Call& call);
  /// Begins the leg with the ranks of other hosts, and publishes what those of this one are to have.
  void begin(std::span<const std::size_t> lengths, bool last);
  void receive_near(std::uint64_t sequence);
  void receive_far();

  UdpExchange udp_;
  Rank first_near_;
  MessageCeiling ceiling_;
  shared_memory::Links links_;
  std::vector<Rank> near_;  ///< seats
  std::vector<Rank> far_;   ///< ranks
  std::uint64_t superstep_ = 0;
  std::uint64_t near_sent_ = 0;
  std::uint64_t near_received_ = 0;
  MessageBuffers far_rooms_;                         ///< for messages to other hosts
  std::vector<Bytes> far_inbox_;                     ///< by source
  std::vector<std::span<const std::byte>> arrived_;  ///< by source, from all hosts
};

}  // namespace lbsp::transport
