#pragma once

#include <atomic>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "transport/impairment/link.hpp"
#include "transport/udp/batches/receive_batch.hpp"
#include "transport/udp/batches/socket_problem.hpp"
#include "transport/udp/loop/correspondent.hpp"
#include "transport/udp/loop/outflow.hpp"
#include "transport/udp/loop/socket_wait.hpp"
#include "transport/udp/sockets/port.hpp"

namespace lbsp::transport {

/// Moves a correspondent's datagrams over a socket, on the thread that calls run(), or step() and look() again and
/// again. Threads may take turns at it; only post() and stop() may be called by another one meanwhile.
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

  // Each of these throws what goes wrong with the socket or memory, and what the correspondent throws. That the program
  // has closed the socket is known a tenth of a second later at the latest.

  /// Returns when the correspondent has finished, or after stop().
  void run();
  /// Waits for one event until then, and does what it asks for.
  void step(Instant until);
  /// Takes what has come or was posted, without waiting. Returns whether there was anything.
  bool look();
  /// Runs action(), then sends what follows from it.
  template <class Action>
  void act(Action action) {
    const Working working(working_);
    begin();
    action();
    service();
  }

  void stop() { io_.stop(); }
  /// After a stop(): the loop may go on.
  void resume() { io_.restart(); }
  /// Whether it is not just waiting. Only of use to a signal's handler on the thread whose turn it is: what that calls
  /// here must not find the correspondent in the midst of something.
  bool working() const { return working_; }
  /// Whether there is something to send within that time, whatever comes, or something was posted.
  bool sends_within(Duration time) const;

  /// Runs action() on the thread whose turn it is, then sends what follows from it.
  template <class Action>
  void post(Action action) {
    ++posted_;
    boost::asio::post(io_, [this, action = std::move(action)]() mutable {
      const Working working(working_);
      --posted_;
      action();
      service();
    });
  }

  boost::asio::io_context& io() { return io_; }
  static Instant now() { return Instant{std::chrono::steady_clock::now().time_since_epoch()}; }

  /// What is sent: whether anything is on its way, and what did not get out.
  const Outflow& outflow() const { return outflow_; }

 private:
  using Executor = boost::asio::io_context::executor_type;
  using Timer =
      boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                        boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

  /// Sets a flag, and at its end what it was before.
  class Working {
   public:
    explicit Working(std::atomic<bool>& working) : working_(working), before_(working.exchange(true)) {}
    ~Working() { working_ = before_; }
    Working(const Working&) = delete;
    Working& operator=(const Working&) = delete;

   private:
    std::atomic<bool>& working_;
    bool before_;
  };

  void begin();
  void wait_readable();
  void stop_waiting();
  void receive();
  bool take_arrivals();
  void service();
  void transmit();
  void wait_writable();
  void plan(Instant now);
  void set_timer(Instant time);

  boost::asio::io_context io_{1};
  UdpPort port_;
  SocketWait wait_{io_, port_};
  Timer timer_{io_};
  Correspondent& correspondent_;
  Duration quantum_;
  WatchedSocket socket_;
  ReceiveBatch received_;
  Outflow outflow_;
  Instant armed_ = never;  ///< what the timer is set to
  bool blocked_ = false;   ///< the socket takes no more until it is writable
  bool service_posted_ = false;
  bool begun_ = false;
  int looks_ = 0;  ///< that took something, since it was waited for the socket
  std::atomic<bool> working_ = false;
  std::atomic<int> posted_ = 0;  ///< actions that wait for their turn
};

}  // namespace lbsp::transport
