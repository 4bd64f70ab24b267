#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <netinet/in.h>
#include <optional>
#include <vector>

#include "transport/impairment/delay_line.hpp"
#include "transport/probe/client.hpp"
#include "transport/probe/datagram.hpp"
#include "transport/probe/responder.hpp"

namespace lbsp::transport::probe {

/// An address that stands for an end in virtual time.
inline transport::SocketAddress virtual_address(std::uint16_t port) {
  transport::SocketAddress address;
  sockaddr_in inner{};
  inner.sin_family = AF_INET;
  inner.sin_port = htons(port);
  std::memcpy(&address.storage, &inner, sizeof inner);
  address.length = sizeof inner;
  return address;
}

/// Two ends and an impaired network between them, in virtual time.
class VirtualPath {
 public:
  VirtualPath(const transport::WanSpec& up, const transport::WanSpec& down, std::uint64_t seed)
      : links_{transport::ImpairedLink(up, seed, 0, 2), transport::ImpairedLink(down, seed, 1, 2)} {}

  transport::SocketAddress address(int end) const {
    return virtual_address(static_cast<std::uint16_t>(1000 + end));
  }
  transport::Instant now() const { return now_; }

  /// Sees, and may change, what arrives.
  std::function<void(int to, std::span<std::byte>)> on_arrival;

  /// Until the client has finished, or `limit` is over.
  void run(Client& client, Responder& responder, transport::Duration limit) {
    const std::array<End*, 2> ends{&client, &responder};
    const auto end = now_ + limit;
    while (!client.finished() && now_ < end) {
      deliver(ends);
      for (int i = 0; i < 2; ++i) {
        if (ends[at(i)]->next_timeout() <= now_) ends[at(i)]->handle_timeout(now_);
        send(*ends[at(i)], i);
      }
      if (client.finished()) return;
      if (line_.next() <= now_) continue;
      const auto next = std::min({client.next_timeout(), responder.next_timeout(), line_.next()});
      now_ = std::max(std::min(next, end), now_ + transport::Duration{1});
    }
  }

 private:
  static std::size_t at(int end) { return static_cast<std::size_t>(end); }

  void send(End& end, int from) {
    while (true) {
      const auto slot = pool_.acquire();
      const auto outgoing = end.poll_transmit(pool_.bytes(slot), now_);
      if (!outgoing) return pool_.release(slot);
      line_.send(links_[at(from)], now_, {from, 1 - from, slot, outgoing->bytes});
    }
  }

  void deliver(const std::array<End*, 2>& ends) {
    while (line_.next() <= now_) {
      const auto arrival = line_.take();
      const auto datagram = pool_.bytes(arrival.slot).first(arrival.bytes);
      if (on_arrival) on_arrival(arrival.to, datagram);
      ends[at(arrival.to)]->handle_datagram(datagram, address(arrival.from), now_);
      pool_.release(arrival.slot);
    }
  }

  transport::Instant now_{std::chrono::hours{1}};
  transport::DatagramPool pool_{most_packet};
  transport::DelayLine line_{pool_};
  std::array<transport::ImpairedLink, 2> links_;
};

}  // namespace lbsp::transport::probe
