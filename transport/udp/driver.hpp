#pragma once

#include <boost/asio/basic_datagram_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "transport/core/endpoint.hpp"
#include "transport/impairment/delay_line.hpp"
#include "transport/udp/batch.hpp"
#include "transport/udp/port.hpp"
#include "transport/udp/udp_job.hpp"

namespace lbsp::transport {

/// Moves one endpoint's datagrams over a socket, on the thread that calls run(). Only post() may be called
/// from another thread while that one runs.
class UdpDriver {
 public:
  /// Throws SystemError if a peer has no address or the system refuses what waiting needs.
  UdpDriver(UdpPort port, const UdpJob& job);

  /// Called on the I/O thread after every event, before what follows from it is sent.
  void on_event(std::function<void()> call) { on_event_ = std::move(call); }

  /// Returns after close(), when nothing is left to be sent, at the latest `longest_farewell` later. Throws
  /// what goes wrong with the socket, memory or on_event's function.
  void run();

  /// Runs action() on the I/O thread, then sends what follows from it.
  template <class Action>
  void post(Action action) {
    boost::asio::post(io_, [this, action = std::move(action)]() mutable {
      action();
      service();
    });
  }

  // On the I/O thread.
  Endpoint& endpoint() { return endpoint_; }
  static Instant now() { return Instant{std::chrono::steady_clock::now().time_since_epoch()}; }
  /// Nothing is left to be told, or has been for the longest farewell.
  bool farewell_over() const;
  /// Begins the end of run().
  void close();
  UdpLosses losses() const;

  /// How long a failed or closing rank goes on telling the others. Three ABORTs take 20 ms, their way through
  /// a pretended network half its round-trip time.
  static constexpr Duration longest_farewell = std::chrono::milliseconds{250};

 private:
  using Executor = boost::asio::io_context::executor_type;
  using Socket = boost::asio::basic_datagram_socket<boost::asio::ip::udp, Executor>;
  using Timer =
      boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                        boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

  void wait_readable();
  void receive();
  void service();
  void transmit(Instant now);
  bool fill_batch(Instant now);
  void send_or_hold(DatagramPool::Slot slot, const Transmit& transmit, Instant now);
  void take_due(Instant now);
  void wait_writable();
  void limit_to_routes(Rank size);
  bool act_on_refusals(Instant now);
  void plan(Instant now);
  void set_timer(Instant time);

  boost::asio::io_context io_{1};
  Socket socket_{io_};
  Timer timer_{io_};
  Rank rank_;
  Endpoint endpoint_;
  DatagramPool pool_;
  ReceiveBatch received_;
  SendBatch batch_;
  DelayLine line_{pool_};
  std::optional<ImpairedLink> link_;
  std::function<void()> on_event_;
  Instant armed_ = never;         ///< what the timer is set to
  Instant farewell_end_ = never;  ///< set by a failure or by close()
  bool blocked_ = false;          ///< the socket takes no more until it is writable
  bool service_posted_ = false;
  bool closing_ = false;
};

}  // namespace lbsp::transport
