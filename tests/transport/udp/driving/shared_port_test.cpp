#include "transport/udp/driving/shared_port.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "tests/transport/udp/udp_cluster.hpp"
#include "transport/udp/sockets/port_for_ranks.hpp"
#include "transport/wire/clear_header.hpp"

/// Ranks of one host behind one UDP port, where a network, a card or the system joins datagrams that have the same
/// addresses and ports into a train: the system gives all of a train to the rank of its first datagram.
namespace lbsp::transport {
namespace {

/// Stands between rank 0 and a port that others share, as a router does whose card joins datagrams.
class JoiningRouter {
 public:
  JoiningRouter(const PeerAddress& near, const PeerAddress& shared)
      : near_(resolve(near, AF_INET)), shared_(resolve(shared, AF_INET)) {
    thread_ = std::thread([this] { run(); });
  }
  JoiningRouter(const JoiningRouter&) = delete;
  JoiningRouter& operator=(const JoiningRouter&) = delete;
  ~JoiningRouter() {
    stop_ = true;
    thread_.join();
  }

  /// Where rank 0 finds all of them.
  PeerAddress inner() const { return {"127.0.0.1", inner_.port()}; }
  /// Where they find rank 0.
  PeerAddress outer() const { return {"127.0.0.1", outer_.port()}; }
  /// Datagrams in trains for more than one rank.
  std::uint64_t mixed() const { return mixed_; }

 private:
  static constexpr std::size_t longest_train = 16;
  static constexpr std::size_t most_bytes = 2000;

  void run() {
    while (!stop_) {
      std::array<pollfd, 2> readable{
          {{inner_.native_handle(), POLLIN, 0}, {outer_.native_handle(), POLLIN, 0}}};
      ::poll(readable.data(), readable.size(), 10);
      // What comes within a millisecond is due together.
      if ((readable[0].revents & POLLIN) != 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
      while (take(inner_))
        gather();
      send_train();
      while (take(outer_))
        send(inner_, near_, datagram_, 0);
    }
  }

  bool take(const UdpPort& port) {
    datagram_.resize(most_bytes);
    const auto got = ::recv(port.native_handle(), datagram_.data(), most_bytes, MSG_DONTWAIT);
    if (got <= 0) return false;
    datagram_.resize(static_cast<std::size_t>(got));
    return true;
  }

  void gather() {
    if (count_ > 0 && (datagram_.size() > each_ || count_ == longest_train)) send_train();
    const auto rank = read_clear_header(datagram_).value().destination;
    if (count_ == 0) {
      each_ = datagram_.size();
      first_rank_ = rank;
    } else if (rank != first_rank_) {
      ++mixed_;
    }
    train_.insert(train_.end(), datagram_.begin(), datagram_.end());
    ++count_;
    if (datagram_.size() < each_) send_train();
  }

  void send_train() {
    if (count_ > 0) send(outer_, shared_, train_, count_ > 1 ? each_ : 0);
    train_.clear();
    count_ = 0;
  }

  static void send(const UdpPort& through, SocketAddress to, Bytes& bytes, std::size_t each) {
    iovec piece{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(std::uint16_t))> control{};
    msghdr message{};
    message.msg_name = to.get();
    message.msg_namelen = to.length;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (each > 0) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* const part = CMSG_FIRSTHDR(&message);
      part->cmsg_level = SOL_UDP;
      part->cmsg_type = UDP_SEGMENT;
      part->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
      const auto length = static_cast<std::uint16_t>(each);
      std::memcpy(CMSG_DATA(part), &length, sizeof length);
    }
    EXPECT_EQ(::sendmsg(through.native_handle(), &message, 0), static_cast<ssize_t>(bytes.size()))
        << std::strerror(errno);
  }

  UdpPort inner_ = UdpPort::bind("127.0.0.1", 0);
  UdpPort outer_ = UdpPort::bind("127.0.0.1", 0);
  SocketAddress near_;
  SocketAddress shared_;
  Bytes datagram_;
  Bytes train_;
  std::size_t count_ = 0;
  std::size_t each_ = 0;
  Rank first_rank_ = 0;
  std::atomic<std::uint64_t> mixed_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST(SharedPort, each_rank_gets_what_the_system_gave_to_another_as_one_train) {
  UdpCluster cluster = UdpCluster::with_shared_port(3);
  cluster.job.options.find_datagram = false;
  const JoiningRouter router(cluster.job.addresses[0], cluster.job.addresses[1]);
  cluster.adjust = [&](UdpJob& job) {
    if (job.rank != 0) job.addresses[0] = router.outer();
    for (Rank other = 1; job.rank == 0 && other < 4; ++other)
      job.addresses[static_cast<std::size_t>(other)] = router.inner();
  };
  constexpr std::uint64_t enough = 20;  // handed on
  constexpr int fewest_rounds = 6;
  constexpr int most_rounds = 400;  // how much is joined in each depends on who gets a processor when
  std::atomic<int> last_round = most_rounds;
  std::atomic<std::uint64_t> rejected = 0;
  cluster.run_well([&](UdpExchange& exchange) {
    for (int round = 1; round <= last_round; ++round) {
      // Before a round that no other rank completes without this one, so that all end after the same.
      if (exchange.rank() == 0 && round >= fewest_rounds && router.mixed() > enough) last_round = round;
      talk(exchange, 10, 20'000);
    }
    exchange.finish();
    rejected += exchange.counters().datagrams_rejected;
  });
  EXPECT_GT(router.mixed(), enough) << "else nothing was to be handed on";
  EXPECT_EQ(rejected, 0U);
}

/// Rank 0 of two behind one port, and what comes there.
class SharedPortAlone : public ::testing::Test {
 protected:
  static UdpJob job_at(const UdpPort& port) {
    UdpJob job;
    job.rank = 0;
    job.addresses.assign(2, {"127.0.0.1", port.port()});
    return job;
  }
  static Bytes datagram_for(Rank rank, std::size_t bytes) {
    Bytes datagram(std::max(bytes, clear_header_bytes), std::byte{7});
    WireWriter out(datagram);
    write(out, ClearHeader{.kind = DatagramKind::data, .source = 1, .destination = rank});
    datagram.resize(bytes);
    return datagram;
  }

  std::vector<UdpPort> ports_ = bind_for_ranks("127.0.0.1", 0, 0, 2);
  SharedPort shared_{ports_[0], job_at(ports_[0])};
  SocketAddress stranger_ = resolve({"127.0.0.1", 9}, AF_INET);
  SocketAddress neighbour_ = resolve({"127.0.0.1", ports_[0].port()}, AF_INET);
  Bytes buffer_ = Bytes(1472);
};

TEST_F(SharedPortAlone, hands_on_as_it_came_what_is_for_the_neighbour_and_nothing_else) {
  EXPECT_FALSE(shared_.takes(datagram_for(0, 100), stranger_, Ecn::none));
  EXPECT_FALSE(shared_.takes(datagram_for(2, 100), stranger_, Ecn::none));
  EXPECT_FALSE(shared_.takes(datagram_for(1, 3), stranger_, Ecn::none)) << "no whole header";
  EXPECT_FALSE(shared_.next(buffer_));
  EXPECT_TRUE(shared_.takes(datagram_for(1, 100), stranger_, Ecn::none));
  const auto handed_on = shared_.next(buffer_);
  ASSERT_TRUE(handed_on);
  EXPECT_EQ(handed_on->to, 1);
  EXPECT_EQ(Bytes(buffer_.begin(), buffer_.begin() + 100), datagram_for(1, 100));
  EXPECT_EQ(*handed_on->by_way_of, neighbour_);
  EXPECT_FALSE(shared_.next(buffer_));
}

TEST_F(SharedPortAlone, does_not_hand_on_twice) {
  EXPECT_TRUE(shared_.has_handed_on(neighbour_));
  EXPECT_FALSE(shared_.takes(datagram_for(1, 100), neighbour_, Ecn::none));
}

TEST_F(SharedPortAlone, drops_what_is_longer_than_ranks_send) {
  EXPECT_TRUE(shared_.takes(datagram_for(1, 60'000), stranger_, Ecn::none));
  EXPECT_TRUE(shared_.takes(datagram_for(1, 1472), stranger_, Ecn::none));
  const auto handed_on = shared_.next(buffer_);
  ASSERT_TRUE(handed_on);
  EXPECT_EQ(handed_on->bytes, 1472U);
  EXPECT_FALSE(shared_.next(buffer_));
}

}  // namespace
}  // namespace lbsp::transport
