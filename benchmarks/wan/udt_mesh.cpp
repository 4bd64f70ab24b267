#include "udt_mesh.hpp"

#include <set>
#include <string>
#include <sys/socket.h>
#include <udt/udt.h>

#include "transport/error.hpp"

namespace lbsp::benchmark {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw SystemError("UDT: " + what + ": " + UDT::getlasterror().getErrorMessage() +
                    ": see the host's network");
}

template <typename Value>
void set(int socket, UDTOpt option, const Value& value) {
  if (UDT::setsockopt(socket, 0, option, &value, sizeof(value)) == UDT::ERROR) fail("option");
}

void never_wait(int socket) {
  set(socket, UDT_SNDSYN, false);
  set(socket, UDT_RCVSYN, false);
}

int make_socket(std::int64_t ceiling) {
  const int made = UDT::socket(AF_INET, SOCK_STREAM, 0);
  if (made == UDT::INVALID_SOCK) fail("no socket");
  set(made, UDT_MSS, ethernet_bytes);
  set(made, UDT_MAXBW, ceiling);
  set(made, UDT_SNDBUF, stream_buffer_bytes);
  set(made, UDT_RCVBUF, stream_buffer_bytes);
  set(made, UDT_LINGER, linger{0, 0});  // the mesh itself waits
  return made;
}

/// What UDT::send() or recv() moved now, 0 if it would have waited.
std::size_t moved(int result, int would_wait, const char* what) {
  if (result > 0) return static_cast<std::size_t>(result);
  if (result == UDT::ERROR && UDT::getlasterror_code() == would_wait) return 0;
  fail(what);
}

class Udt : public StreamLibrary {
 public:
  explicit Udt(std::int64_t ceiling) : ceiling_(ceiling) {
    if (UDT::startup() == UDT::ERROR) fail("startup");
    epoll_ = UDT::epoll_create();
    if (epoll_ == UDT::ERROR) fail("epoll");
  }
  Udt(const Udt&) = delete;
  Udt& operator=(const Udt&) = delete;
  ~Udt() override {
    UDT::epoll_release(epoll_);
    UDT::cleanup();
  }

  int listen_at(int udp_socket) override {
    const int listener = make_socket(ceiling_);
    never_wait(listener);
    if (UDT::bind2(listener, udp_socket) == UDT::ERROR) fail("bind");
    if (UDT::listen(listener, 256) == UDT::ERROR) fail("listen");
    return listener;
  }

  int connect(const sockaddr_in& own, const sockaddr_in& other) override {
    const int made = make_socket(ceiling_);
    if (UDT::bind(made, general(own), sizeof(own)) == UDT::ERROR) fail("bind");
    if (UDT::connect(made, general(other), sizeof(other)) == UDT::ERROR) {
      if (UDT::getlasterror_code() != CUDTException::ENOSERVER) fail("connect");
      UDT::close(made);
      return -1;
    }
    never_wait(made);
    return made;
  }

  int accept(int listener) override {
    sockaddr_in other{};
    int length = sizeof(other);
    const int made = UDT::accept(listener, reinterpret_cast<sockaddr*>(&other), &length);
    if (made != UDT::INVALID_SOCK) never_wait(made);
    if (made == UDT::INVALID_SOCK && UDT::getlasterror_code() != CUDTException::EASYNCRCV) fail("accept");
    return made;
  }

  void close(int socket) override { UDT::close(socket); }

  std::size_t send(int socket, std::span<const std::byte> bytes) override {
    const int result =
        UDT::send(socket, reinterpret_cast<const char*>(bytes.data()), length_of(bytes.size()), 0);
    return moved(result, CUDTException::EASYNCSND, "send");
  }

  std::size_t receive(int socket, std::span<std::byte> bytes) override {
    const int result = UDT::recv(socket, reinterpret_cast<char*>(bytes.data()), length_of(bytes.size()), 0);
    return moved(result, CUDTException::EASYNCRCV, "receive");
  }

  bool has_unsent(int socket) override {
    int packets = 0;
    int length = sizeof(packets);
    return UDT::getsockstate(socket) == CONNECTED &&
           UDT::getsockopt(socket, 0, UDT_SNDDATA, &packets, &length) != UDT::ERROR && packets > 0;
  }

  void watch(int socket, Interest now) override {
    UDT::epoll_remove_usock(epoll_, socket);  // adding only adds: without this an interest would never end
    if (!now.any()) return;
    const int events = (now.to_send ? UDT_EPOLL_OUT : 0) | (now.to_receive ? UDT_EPOLL_IN : 0);
    if (UDT::epoll_add_usock(epoll_, socket, &events) == UDT::ERROR) fail("epoll");
  }

  void wait(std::chrono::milliseconds most) override {
    std::set<UDTSOCKET> to_receive, to_send;
    if (UDT::epoll_wait(epoll_, &to_receive, &to_send, most.count()) == UDT::ERROR &&
        UDT::getlasterror_code() != CUDTException::ETIMEOUT) {
      fail("epoll");
    }
  }

 private:
  std::int64_t ceiling_;
  int epoll_ = -1;
};

}  // namespace

UdtMesh::UdtMesh(const Place& place, std::int64_t ceiling)
    : StreamMesh(std::make_unique<Udt>(ceiling), place) {}

}  // namespace lbsp::benchmark
