#include "srt_mesh.hpp"

#include <array>
#include <srt/srt.h>
#include <string>

#include "transport/error.hpp"

namespace lbsp::benchmark {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw SystemError("SRT: " + what + ": " + srt_getlasterror_str() + ": see the host's network");
}

template <typename Value>
void set(SRTSOCKET socket, SRT_SOCKOPT option, const Value& value) {
  if (srt_setsockflag(socket, option, &value, sizeof(value)) == SRT_ERROR) fail("option");
}

void never_wait(SRTSOCKET socket) {
  set(socket, SRTO_SNDSYN, false);
  set(socket, SRTO_RCVSYN, false);
}

/// File transmission sets all that belongs to it: the controller "file", a stream without messages'
/// boundaries, packets as large as they may be, no delivery by time stamps and no packet dropped for being
/// late. Nor are NAKs repeated, which this controller would take for new losses.
SRTSOCKET make_socket(std::int64_t ceiling) {
  const SRTSOCKET made = srt_create_socket();
  if (made == SRT_INVALID_SOCK) fail("no socket");
  set(made, SRTO_TRANSTYPE, SRTT_FILE);
  set(made, SRTO_MSS, ethernet_bytes);
  set(made, SRTO_MAXBW, ceiling);
  set(made, SRTO_SNDBUF, stream_buffer_bytes);
  set(made, SRTO_RCVBUF, stream_buffer_bytes);
  set(made, SRTO_LINGER, linger{0, 0});  // the mesh itself waits
  return made;
}

/// What srt_send() or srt_recv() moved now, 0 if it would have waited.
std::size_t moved(int result, int would_wait, const char* what) {
  if (result > 0) return static_cast<std::size_t>(result);
  if (result == SRT_ERROR && srt_getlasterror(nullptr) == would_wait) return 0;
  fail(what);
}

class Srt : public StreamLibrary {
 public:
  explicit Srt(std::int64_t ceiling) : ceiling_(ceiling) {
    if (srt_startup() == SRT_ERROR) fail("startup");
    srt_setloglevel(LOG_CRIT);
    epoll_ = srt_epoll_create();
    if (epoll_ == SRT_ERROR) fail("epoll");
    srt_epoll_set(epoll_, SRT_EPOLL_ENABLE_EMPTY);
  }
  Srt(const Srt&) = delete;
  Srt& operator=(const Srt&) = delete;
  ~Srt() override {
    srt_epoll_release(epoll_);
    srt_cleanup();
  }

  int listen_at(int udp_socket) override {
    const SRTSOCKET listener = make_socket(ceiling_);
    never_wait(listener);
    if (srt_bind_acquire(listener, udp_socket) == SRT_ERROR) fail("bind");
    if (srt_listen(listener, 256) == SRT_ERROR) fail("listen");
    return listener;
  }

  int connect(const sockaddr_in& own, const sockaddr_in& other) override {
    const SRTSOCKET made = make_socket(ceiling_);
    if (srt_bind(made, general(own), sizeof(own)) == SRT_ERROR) fail("bind");
    if (srt_connect(made, general(other), sizeof(other)) == SRT_ERROR) {
      if (srt_getlasterror(nullptr) != SRT_ENOSERVER) fail("connect");
      srt_close(made);
      return -1;
    }
    never_wait(made);
    return made;
  }

  int accept(int listener) override {
    const SRTSOCKET made = srt_accept(listener, nullptr, nullptr);
    if (made != SRT_INVALID_SOCK) never_wait(made);
    if (made == SRT_INVALID_SOCK && srt_getlasterror(nullptr) != SRT_EASYNCRCV) fail("accept");
    return made;
  }

  void close(int socket) override { srt_close(socket); }

  std::size_t send(int socket, std::span<const std::byte> bytes) override {
    const int result = srt_send(socket, reinterpret_cast<const char*>(bytes.data()), length_of(bytes.size()));
    return moved(result, SRT_EASYNCSND, "send");
  }

  std::size_t receive(int socket, std::span<std::byte> bytes) override {
    const int result = srt_recv(socket, reinterpret_cast<char*>(bytes.data()), length_of(bytes.size()));
    return moved(result, SRT_EASYNCRCV, "receive");
  }

  bool has_unsent(int socket) override {
    int packets = 0;
    int length = sizeof(packets);
    return srt_getsockstate(socket) == SRTS_CONNECTED &&
           srt_getsockflag(socket, SRTO_SNDDATA, &packets, &length) != SRT_ERROR && packets > 0;
  }

  void watch(int socket, Interest now) override {
    constexpr int in = SRT_EPOLL_IN, out = SRT_EPOLL_OUT, error = SRT_EPOLL_ERR;
    const int events = error | (now.to_send ? out : 0) | (now.to_receive ? in : 0);
    const int result =
        now.any() ? srt_epoll_update_usock(epoll_, socket, &events) : srt_epoll_remove_usock(epoll_, socket);
    if (result == SRT_ERROR && now.any()) fail("epoll");
  }

  void wait(std::chrono::milliseconds most) override {
    std::array<SRT_EPOLL_EVENT, 256> events;
    if (srt_epoll_uwait(epoll_, events.data(), static_cast<int>(events.size()), most.count()) == SRT_ERROR &&
        srt_getlasterror(nullptr) != SRT_ETIMEOUT) {
      fail("epoll");
    }
  }

 private:
  std::int64_t ceiling_;
  int epoll_ = -1;
};

}  // namespace

SrtMesh::SrtMesh(const Place& place, std::int64_t ceiling)
    : StreamMesh(std::make_unique<Srt>(ceiling), place) {}

}  // namespace lbsp::benchmark
