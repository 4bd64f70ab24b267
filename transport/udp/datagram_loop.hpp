#pragma once

#include <boost/asio/basic_datagram_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include "transport/impairment/delay_line.hpp"
#include "transport/udp/correspondent.hpp"
#include "transport/udp/port.hpp"
#include "transport/udp/receive_batch.hpp"
#include "transport/udp/send_batch.hpp"

namespace lbsp::transport {

/// Moves a correspondent's datagrams over a socket, on the thread that calls run(). Only post() and stop() may
/// be called from another thread while that one runs.
class DatagramLoop {
 public:
  struct Settings {
    ReceiveBatch::Settings receive;      ///< with the length of the longest datagram, of those sent too
    Duration quantum{};                  ///< a deadline waits for so long, so that several are met at once
    std::optional<ImpairedLink> link{};  ///< impairs what is sent; by the correspondent's numbers
  };

  /// The correspondent is not called before run(). Throws SystemError if the system refuses what waiting
  /// needs.
  DatagramLoop(UdpPort port, Correspondent& correspondent, Settings settings);

  /// Returns when the correspondent has finished, or after stop(). Throws what goes wrong with the socket or
  /// memory, and what the correspondent throws.
  void run();
  void stop() { io_.stop(); }

  /// Runs action() on the loop's thread, then sends what follows from it.
  template <class Action>
  void post(Action action) {
    boost::asio::post(io_, [this, action = std::move(action)]() mutable {
      action();
      service();
    });
  }

  boost::asio::io_context& io() { return io_; }
  static Instant now() { return Instant{std::chrono::steady_clock::now().time_since_epoch()}; }

  /// Nothing waits for the socket or is on its way through the impaired link.
  bool idle() const { return line_.empty() && batch_.empty(); }
  /// Datagrams that the system did not take.
  std::uint64_t refused() const { return batch_.refused(); }
  ImpairmentCounters impairment() const { return link_ ? link_->counters() : ImpairmentCounters{}; }

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
  bool fill_batch(Instant now);
  void set_fragments();
  void send_or_hold(DatagramPool::Slot slot, const Correspondent::Outgoing& outgoing, Instant now);
  void take_due(Instant now);
  bool report_refusals(Instant now);
  void wait_writable();
  void plan(Instant now);
  void set_timer(Instant time);

  boost::asio::io_context io_{1};
  Socket socket_{io_};
  Timer timer_{io_};
  Correspondent& correspondent_;
  Duration quantum_;
  DatagramPool pool_;
  ReceiveBatch received_;
  SendBatch batch_;
  DelayLine line_{pool_};
  std::optional<ImpairedLink> link_;
  Instant armed_ = never;  ///< what the timer is set to
  bool blocked_ = false;   ///< the socket takes no more until it is writable
  bool service_posted_ = false;
  bool whole_ = true;  ///< the socket sends no fragments
};

}  // namespace lbsp::transport
