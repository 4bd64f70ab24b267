#include "transport/udp/driving/knocking.hpp"

#include <algorithm>
#include <fcntl.h>
#include <map>
#include <utility>
#include <vector>

#include "transport/error.hpp"
#include "transport/membership/newcomer.hpp"
#include "transport/udp/loop/datagram_loop.hpp"

namespace lbsp::transport {
namespace {

constexpr Duration longest_wait = std::chrono::minutes{1};

Seat seat_of(const UdpJob& job) {
  return {.slot = job.rank,
          .spare = *job.newcomer_on,
          .incarnation = Incarnation::of(job.newcomer, JobKey::random().bytes)};
}

/// Who knocks there does not do so at itself.
bool has_nobody(const UdpJob& job, std::size_t slot) {
  return static_cast<Rank>(slot) == job.rank || job.addresses[slot].host.empty();
}

class Knocking final : private Correspondent {
 public:
  Knocking(const UdpPort& port, const UdpJob& job)
      : newcomer_(job.key, seat_of(job), static_cast<Slot>(job.addresses.size()), job.cipher,
                  DatagramLoop::now()),
        end_(DatagramLoop::now() + longest_wait),
        loop_(UdpPort::take(::fcntl(port.native_handle(), F_DUPFD_CLOEXEC, 0)), *this, settings(job)) {
    for (std::size_t rank = 0; rank < job.addresses.size(); ++rank)
      peers_.push_back(has_nobody(job, rank) ? SocketAddress{} : resolve(job.addresses[rank], port.family()));
    for (const auto& [rank, address] : job.former)
      former_.emplace(rank, resolve(address, port.family()));
  }

  Letter letter() {
    while (!newcomer_.letter() && DatagramLoop::now() < end_)
      loop_.step(end_);
    if (!newcomer_.letter())
      throw Error(
          "no rank has let the new process in: see whether the job still runs, and keeps its states often");
    return *newcomer_.letter();
  }

 private:
  static DatagramLoop::Settings settings(const UdpJob& job) {
    DatagramLoop::Settings settings{
        .receive = {.datagram_bytes = std::max(job.options.datagram_bytes, longest_letter_datagram_bytes)}};
    if (job.wan)
      settings.link.emplace(*job.wan, job.wan_seed, job.rank, static_cast<Rank>(job.addresses.size()));
    return settings;
  }

  void handle_datagram(std::span<std::byte> datagram, const SocketAddress& /*from*/,
                       const Arrival& /*arrival*/) override {
    newcomer_.handle_datagram(datagram);
  }
  void handle_timeout(Instant /*now*/) override {}
  Instant next_timeout() const override { return newcomer_.next_timeout(); }
  std::optional<Outgoing> poll_transmit(std::span<std::byte> buffer, Instant now) override {
    auto knock = newcomer_.poll_transmit(buffer, now);
    while (knock && peers_[static_cast<std::size_t>(knock->first)].length == 0)
      knock = newcomer_.poll_transmit(buffer, now);
    if (!knock) return std::nullopt;
    if (const auto former = former_.find(knock->first); former != former_.end())
      std::swap(peers_[static_cast<std::size_t>(knock->first)], former->second);
    return Outgoing{knock->first, knock->second};
  }
  const SocketAddress& address_of(Rank rank) const override { return peers_[static_cast<std::size_t>(rank)]; }
  bool finished() const override { return newcomer_.letter().has_value(); }

  Newcomer newcomer_;
  Instant end_;
  std::vector<SocketAddress> peers_;  ///< by slot
  /// Where some of them may be instead: every second knock goes there.
  std::map<Rank, SocketAddress> former_;
  DatagramLoop loop_;
};

}  // namespace

Letter knock_for_letter(const UdpPort& port, const UdpJob& job) {
  return Knocking(port, job).letter();
}

}  // namespace lbsp::transport
