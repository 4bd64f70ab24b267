#include <chrono>
#include <gtest/gtest.h>
#include <poll.h>
#include <string>
#include <vector>

#include "transport/udp/batches/receive_batch.hpp"
#include "transport/udp/batches/send_batch.hpp"
#include "transport/udp/sockets/port.hpp"

/// What real sockets write and tell of the ECN field of IP headers.
namespace lbsp::transport {
namespace {

struct Way {
  const char* from;
  const char* to;       ///< the address to which the receiver is bound …
  const char* address;  ///< … and by which the sender knows it
};

class EcnSockets {
 public:
  EcnSockets(const Way& way, bool ecn)
      : sender_(UdpPort::bind(way.from, 0)),
        receiver_(UdpPort::bind(way.to, 0)),
        address_(resolve({way.address, receiver_.port()}, sender_.family())),
        received_(receiver_.native_handle(), {.datagram_bytes = 1500, .trains = true, .ecn = ecn}),
        batch_(sender_.native_handle(), pool_, true) {}

  /// What is told of each datagram of so many bytes, in the order of arrival.
  std::vector<Ecn> pass(const std::vector<std::pair<Ecn, std::size_t>>& datagrams) {
    for (const auto& [ecn, bytes] : datagrams)
      batch_.add(1, address_, pool_.acquire(), bytes, true, ecn);
    EXPECT_TRUE(batch_.flush());
    std::vector<Ecn> told;
    pollfd waiting{receiver_.native_handle(), POLLIN, 0};
    while (told.size() < datagrams.size() && ::poll(&waiting, 1, 5000) == 1) {
      const std::size_t count = received_.receive();
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(received_[i].size(), datagrams[told.size()].second);
        told.push_back(received_.ecn(i));
      }
    }
    return told;
  }
  const SendBatch& batch() const { return batch_; }

 private:
  UdpPort sender_;
  UdpPort receiver_;
  SocketAddress address_;
  DatagramPool pool_{1500};
  ReceiveBatch received_;
  SendBatch batch_;
};

TEST(EcnSockets, tell_each_datagram_as_it_was_sent_also_in_trains) {
  using enum Ecn;
  for (const Way& way : {Way{"127.0.0.1", "127.0.0.1", "127.0.0.1"}, Way{"::1", "::1", "::1"},
                         Way{"::", "127.0.0.1", "127.0.0.1"}, Way{"127.0.0.1", "::", "127.0.0.1"}}) {
    std::vector<std::pair<Ecn, std::size_t>> sent;
    std::vector<Ecn> expected;
    for (const Ecn ecn : {capable, capable, capable, marked, marked, none, capable, none, none}) {
      sent.emplace_back(ecn, 1000);
      expected.push_back(ecn);
    }
    EcnSockets sockets(way, true);
    EXPECT_EQ(sockets.pass(sent), expected) << way.from << " to " << way.to;
    EXPECT_EQ(sockets.batch().in_trains(), 7u) << "only what is alike shares one";
    EXPECT_EQ(sockets.batch().refused(), 0u);
  }
}

TEST(EcnSockets, tell_nothing_if_they_are_not_asked) {
  EcnSockets sockets({"127.0.0.1", "127.0.0.1", "127.0.0.1"}, false);
  EXPECT_EQ(sockets.pass({{Ecn::capable, 100}, {Ecn::marked, 100}}),
            (std::vector{Ecn::unknown, Ecn::unknown}));
}

}  // namespace
}  // namespace lbsp::transport
