#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "transport/exchange.hpp"
#include "transport/udp/driving/udp_job.hpp"
#include "transport/udp/sockets/port.hpp"
#include "transport/udp/udp_legs.hpp"
#include "transport/world_change.hpp"

namespace lbsp::transport {

class IoThread;

/// Supersteps over real UDP sockets.
///
/// The calling thread moves the datagrams itself, until the protocol says that the leg is complete or has failed; the
/// protocol bounds the time of both. While the program computes, an I/O thread does, so that a computing rank answers
/// its peers.
///
/// A signal's handler may call abort() in a call, but not destroy the exchange.
///
/// The destructor stops the I/O thread: at once after finish(), or within half a second if it must still tell
/// other ranks of a failure or an abort.
class UdpExchange final : public Exchange {
 public:
  /// Begins to answer peers at once. If the rate has to be found and there are other hosts, it waits for the first
  /// answers, which tell how fast and how far they are: a round trip, half a second at most, or on slow links until no
  /// more of them come. Throws UsageError if the job makes no sense, and SystemError if a peer's name has no address or
  /// the system refuses a thread or a file.
  UdpExchange(UdpPort port, const UdpJob& job);
  ~UdpExchange() override;

  /// Of a new process, before anything else: how the world came to be in which it has got its place. The constructor
  /// has waited for that.
  WorldChange take_seat();

  Rank rank() const noexcept override;
  Rank size() const noexcept override;
  void check_message(Rank to, std::size_t bytes) const override;
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override;
  std::vector<Bytes> last_exchange(std::vector<Bytes> outgoing) override;
  std::vector<Bytes> exchange_meanwhile(std::vector<Bytes> outgoing, const Work& work) override;
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override;
  std::uint32_t most_early() const noexcept override { return takes_early_ ? transport::most_early : 0; }
  void send_early(EarlyMessages messages) override;
  std::vector<Bytes> receive_early(const std::vector<Rank>& sources) override;
  void hold(std::uint64_t boundary) override;
  void grow() override;
  void finish() override;
  /// Waits until the others have been told, for a quarter of a second at most.
  void abort(std::string_view reason) noexcept override;
  void take_notice(const LossNotice& notice) noexcept override;
  void take_departures(const std::vector<Rank>& ranks) noexcept override;
  TrafficCounters counters() const override;
  NetworkMeasure network() const override;
  std::vector<Rank> awaited() override;
  Forecast forecast() const override;
  Duration network_thread_time() override;

  /// For an exchange that has other ways to some ranks.
  UdpLegs& legs() { return *legs_; }

  /// Up to the return of the last call, as counters().
  UdpLosses losses() const;

 private:
  template <class Call>
  std::vector<Bytes> in_world(std::uint64_t supersteps, const Call& call);

  std::unique_ptr<IoThread> io_;
  std::optional<UdpLegs> legs_;
  std::uint64_t max_message_bytes_;
  std::uint64_t superstep_ = 0;  ///< of this world
  bool takes_early_;
  EarlyMessages early_;  ///< that go with the next first leg
};

}  // namespace lbsp::transport
