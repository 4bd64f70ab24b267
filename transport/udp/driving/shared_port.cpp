#include "transport/udp/driving/shared_port.hpp"

#include <algorithm>
#include <utility>

#include "transport/udp/sockets/own_host.hpp"
#include "transport/udp/sockets/port_for_ranks.hpp"
#include "transport/wire/clear_header.hpp"

namespace lbsp::transport {
namespace {

/// Of a socket that is not written to; what comes beyond is lost, as it may be on any way.
constexpr std::size_t most_waiting = 2048;

bool is_at_one_port(const PeerAddress& one, const PeerAddress& other) {
  return one.port == other.port && one.host == other.host;
}

}  // namespace

SharedPort::SharedPort(const UdpPort& port, const UdpJob& job) {
  if (!is_shared(port)) return;
  loopback_ = on_own_host(port);
  if (loopback_.length == 0) return;
  const PeerAddress& own = job.addresses[static_cast<std::size_t>(job.rank)];
  for (std::size_t rank = 0; rank < job.addresses.size(); ++rank)
    neighbours_.push_back(static_cast<Rank>(rank) != job.rank && is_at_one_port(job.addresses[rank], own));
}

bool SharedPort::is_neighbour(Rank rank) const {
  const auto index = static_cast<std::size_t>(rank);
  return index < neighbours_.size() && neighbours_[index];
}

/// What was handed on is not again: it would go round if the ranks did not agree on who is where.
bool SharedPort::takes(std::span<const std::byte> datagram, const SocketAddress& from, Ecn ecn) {
  if (neighbours_.empty()) return false;
  const auto header = read_clear_header(datagram);
  if (!header || !is_neighbour(header->destination) || has_handed_on(from)) return false;
  if (waiting_.size() < most_waiting)
    waiting_.push_back({header->destination, ecn, Bytes(datagram.begin(), datagram.end())});
  return true;
}

/// None is longer than what a rank sends itself, unless somebody else has made it.
std::optional<Correspondent::Outgoing> SharedPort::next(std::span<std::byte> buffer) {
  while (!waiting_.empty() && waiting_.front().datagram.size() > buffer.size())
    waiting_.pop_front();
  if (waiting_.empty()) return std::nullopt;
  const Waiting first = std::move(waiting_.front());
  waiting_.pop_front();
  std::ranges::copy(first.datagram, buffer.begin());
  return Correspondent::Outgoing{
      .to = first.to, .bytes = first.datagram.size(), .ecn = first.ecn, .by_way_of = &loopback_};
}

}  // namespace lbsp::transport
