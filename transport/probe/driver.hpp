#pragma once

#include <boost/asio/basic_datagram_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "transport/impairment/delay_line.hpp"
#include "transport/probe/end.hpp"
#include "transport/udp/batch.hpp"
#include "transport/udp/port.hpp"

namespace lbsp::probe {

/// Moves one end's datagrams over a socket, on the thread that calls run().
class Driver {
 public:
  /// `wan` impairs what this end sends. Datagrams above the path's MTU are sent in fragments. Throws
  /// SystemError if the system refuses what waiting needs.
  Driver(transport::UdpPort port, End& end, const std::optional<transport::WanSpec>& wan,
         std::uint64_t wan_seed);
  ~Driver();

  /// Called after every event.
  void on_event(std::function<void()> call) { on_event_ = std::move(call); }

  /// Returns when the end has finished, or after stop(). Throws SystemError if the socket becomes unusable.
  void run();
  /// From any thread.
  void stop() { io_.stop(); }

  boost::asio::io_context& io() { return io_; }
  static transport::Instant now() {
    return transport::Instant{std::chrono::steady_clock::now().time_since_epoch()};
  }

 private:
  using Executor = boost::asio::io_context::executor_type;
  using Socket = boost::asio::basic_datagram_socket<boost::asio::ip::udp, Executor>;
  using Timer =
      boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                        boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

  void wait_readable();
  void receive();
  void service();
  void transmit();
  bool fill_batch();
  void follow_end_s_wish();
  void wait_writable();
  void plan();
  Rank path_to(const transport::SocketAddress& address);

  boost::asio::io_context io_{1};
  Socket socket_{io_};
  Timer timer_{io_};
  End& end_;
  transport::DatagramPool pool_;
  transport::ReceiveBatch received_;
  transport::SendBatch batch_;
  transport::DelayLine line_{pool_};
  std::optional<transport::ImpairedLink> link_;
  std::vector<transport::SocketAddress> paths_;  ///< of the impaired link, by its ranks
  std::size_t oldest_path_ = 0;
  std::function<void()> on_event_;
  transport::Instant armed_ = transport::never;
  bool blocked_ = false;
  bool posted_ = false;
  bool whole_ = false;
};

/// The largest UDP payload that goes to `peer` without fragments, as far as this host knows the path; 65507
/// if the system does not say.
std::size_t largest_unfragmented(const transport::SocketAddress& peer);

}  // namespace lbsp::probe
