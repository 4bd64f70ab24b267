#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <poll.h>
#include <span>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "transport/udp/udp_exchange.hpp"

namespace lbsp::transport {

/// Translates addresses for one rank of a job over loopback, as a router at home does: the others see the rank at an
/// outer address, which rebind() changes. The rank is given inner() as the others' addresses.
class UdpNat {
 public:
  /// Called with each datagram before it is forwarded; `again` sends bytes from the same address to the same rank.
  using Meddle =
      std::function<void(std::span<std::uint8_t> datagram, const std::function<void(std::size_t)>& again)>;

  /// What the rank sends has been copied, and the copies sent to the others from elsewhere before it is forwarded.
  using Copy = std::function<void(std::span<const std::uint8_t> datagram, const SocketAddress& to)>;
  void copy_first(Copy copy) {
    const std::lock_guard lock(mutex_);
    copy_ = std::move(copy);
  }

  /// `addresses`: where the ranks really are.
  UdpNat(Rank inside, const std::vector<PeerAddress>& addresses, Meddle meddle = {})
      : inside_(static_cast<std::size_t>(inside)), meddle_(std::move(meddle)), outer_(new_port("127.0.0.1")) {
    for (const PeerAddress& address : addresses) {
      real_.push_back(resolve(address, AF_INET));
      inner_.push_back(new_port("127.0.0.1"));
    }
    thread_ = std::thread([this] { run(); });
  }
  UdpNat(const UdpNat&) = delete;
  UdpNat& operator=(const UdpNat&) = delete;
  ~UdpNat() {
    stop_ = true;
    thread_.join();
  }

  /// Where the others find the rank.
  PeerAddress outer() const {
    const std::lock_guard lock(mutex_);
    return {"127.0.0.1", outer_->port()};
  }
  /// Where the rank finds another one.
  PeerAddress inner(Rank other) const {
    return {"127.0.0.1", inner_[static_cast<std::size_t>(other)]->port()};
  }

  /// From now on the rank is at another port, and at this address; what comes to the old one is refused.
  void rebind(const char* address) {
    auto fresh = new_port(address);
    const std::lock_guard lock(mutex_);
    outer_ = std::move(fresh);
  }

  /// Datagrams from the rank and to it.
  std::uint64_t outward() const { return outward_; }
  std::uint64_t inward() const { return inward_; }

 private:
  using Port = std::shared_ptr<UdpPort>;

  static Port new_port(const char* address) { return std::make_shared<UdpPort>(UdpPort::bind(address, 0)); }

  Port outer_port() const {
    const std::lock_guard lock(mutex_);
    return outer_;
  }

  void run() {
    while (!stop_) {
      const Port outer = outer_port();
      std::vector<pollfd> readable{{outer->native_handle(), POLLIN, 0}};
      for (const Port& port : inner_)
        readable.push_back({port->native_handle(), POLLIN, 0});
      ::poll(readable.data(), readable.size(), 10);
      for (std::size_t other = 0; other < inner_.size(); ++other) {
        if (other != inside_ && take(*inner_[other], nullptr)) forward(*outer, real_[other], outward_);
      }
      SocketAddress from;
      if (!take(*outer, &from)) continue;
      for (std::size_t other = 0; other < real_.size(); ++other) {
        if (other != inside_ && from == real_[other]) forward(*inner_[other], real_[inside_], inward_);
      }
    }
  }

  bool take(const UdpPort& port, SocketAddress* from) {
    SocketAddress ignored;
    SocketAddress& source = from != nullptr ? *from : ignored;
    source.length = sizeof source.storage;
    const auto received = ::recvfrom(port.native_handle(), buffer_.data(), buffer_.size(), MSG_DONTWAIT,
                                     source.get(), &source.length);
    bytes_ = received > 0 ? static_cast<std::size_t>(received) : 0;
    return received > 0;
  }

  void forward(const UdpPort& through, const SocketAddress& to, std::atomic<std::uint64_t>& count) {
    const auto send = [&](std::size_t bytes) {
      ::sendto(through.native_handle(), buffer_.data(), bytes, 0, to.get(), to.length);
    };
    ++count;
    {
      const std::lock_guard lock(mutex_);
      if (copy_ && &count == &outward_) copy_(std::span(buffer_).first(bytes_), to);
    }
    send(bytes_);
    if (meddle_) meddle_(std::span(buffer_).first(bytes_), send);
  }

  std::size_t inside_;
  Meddle meddle_;
  Copy copy_;
  mutable std::mutex mutex_;
  Port outer_;
  std::vector<SocketAddress> real_;
  std::vector<Port> inner_;
  std::array<std::uint8_t, 2000> buffer_{};
  std::size_t bytes_ = 0;
  std::atomic<std::uint64_t> outward_ = 0;
  std::atomic<std::uint64_t> inward_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace lbsp::transport
