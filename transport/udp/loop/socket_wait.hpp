#pragma once

#include <boost/asio/basic_datagram_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/system/system_error.hpp>
#include <utility>

#include "transport/udp/batches/socket_problem.hpp"
#include "transport/udp/sockets/port.hpp"

namespace lbsp::transport {

/// Waits for a port's socket with Asio. Of a socket that Asio knows the system tells it with each datagram that comes,
/// which takes 0.3 µs of the five that a short one takes. So who looks for himself lets Asio forget the socket.
class SocketWait {
 public:
  /// The port must outlive this. Throws boost::system::system_error if the system refuses what waiting needs, as each
  /// wait does, and SystemError, as the loop does too that the action is called from, if somebody has closed it.
  SocketWait(boost::asio::io_context& io, const UdpPort& port) : socket_(io), port_(port) { remember(); }
  ~SocketWait() { forget(); }
  SocketWait(const SocketWait&) = delete;
  SocketWait& operator=(const SocketWait&) = delete;

  /// Calls action() once there is something to read, also if there is already.
  template <class Action>
  void for_reading(Action action) {
    wait(Socket::wait_read, reads_, std::move(action));
  }
  /// Calls action() once there is room to write.
  template <class Action>
  void for_writing(Action action) {
    wait(Socket::wait_write, writes_, std::move(action));
  }
  bool reads() const { return reads_; }
  bool writes() const { return writes_; }

  /// Nothing is waited for any more.
  void forget() noexcept {
    if (!socket_.is_open()) return;
    boost::system::error_code ignored;
    socket_.release(ignored);
    reads_ = writes_ = false;
    ++forgotten_;
  }

 private:
  using Socket =
      boost::asio::basic_datagram_socket<boost::asio::ip::udp, boost::asio::io_context::executor_type>;

  void remember() {
    if (socket_.is_open()) return;
    boost::system::error_code refused;
    socket_.assign(port_.family() == AF_INET6 ? boost::asio::ip::udp::v6() : boost::asio::ip::udp::v4(),
                   port_.native_handle(), refused);
    throw_if_unusable(refused.value());
    if (refused) throw boost::system::system_error(refused);
  }

  template <class Action>
  void wait(typename Socket::wait_type what, bool& waits, Action action) {
    remember();
    waits = true;
    socket_.async_wait(what, [this, &waits, action = std::move(action),
                              before = forgotten_](const boost::system::error_code& error) {
      if (forgotten_ != before) return;
      throw_if_unusable(error.value());
      if (error) return;
      waits = false;
      action();
    });
  }

  Socket socket_;
  const UdpPort& port_;
  bool reads_ = false;
  bool writes_ = false;
  int forgotten_ = 0;  ///< times; what was waited for before does not count
};

}  // namespace lbsp::transport
