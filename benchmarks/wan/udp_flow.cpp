// Plain datagrams from one host to another as fast as asked, in batches, by nothing but the sockets of the
// system: what accuracy.sh measures losses and rates with.
//   udp_flow receive PORT SKIP SECONDS           prints "ready", then: received dropped packets bytes seconds
//   udp_flow send HOST PORT BYTES MBIT SECONDS   prints: packets seconds. MBIT 0: as fast as it can
// The receiver ends SKIP + SECONDS after the first datagram, or when none comes for half a second. It counts
// all datagrams that it has received, and those that found its socket full; then those of the last SECONDS,
// their bytes, and the time between them by the kernel's clock.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t batch = 64;
constexpr int buffer_bytes = 64 << 20;  // more than 0.5 s of 400 Mbit/s in short packets

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("udp_flow: " + what + ": " + std::strerror(errno));
}

double number(const char* text) {
  double value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, problem] = std::from_chars(text, end, value);
  if (problem != std::errc{} || stop != end || !(value >= 0) || value > 1e6)
    throw std::runtime_error(std::string(text) + ": give a number from 0 to 1000000");
  return value;
}

int udp_socket(const char* host, const char* port, bool passive) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_DGRAM;
  wanted.ai_flags = passive ? AI_PASSIVE : 0;
  addrinfo* found = nullptr;
  if (const int problem = ::getaddrinfo(host, port, &wanted, &found); problem != 0)
    throw std::runtime_error(std::string("udp_flow: ") + ::gai_strerror(problem));
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto take = passive ? ::bind : ::connect;
  const bool taken = socket >= 0 && take(socket, found->ai_addr, found->ai_addrlen) == 0;
  ::freeaddrinfo(found);
  if (!taken) fail(passive ? "cannot listen" : "cannot send there");
  return socket;
}

/// The same buffers for every datagram of a batch: what is in them nobody reads.
struct Batch {
  explicit Batch(std::size_t bytes) : payload(bytes) {
    for (std::size_t i = 0; i < batch; ++i) {
      vectors[i] = {payload.data(), payload.size()};
      headers[i].msg_hdr.msg_iov = &vectors[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
  }
  void want_control() {
    for (std::size_t i = 0; i < batch; ++i) {
      headers[i].msg_hdr.msg_control = control[i].data();
      headers[i].msg_hdr.msg_controllen = control[i].size();
    }
  }

  std::vector<char> payload;
  std::array<iovec, batch> vectors{};
  std::array<mmsghdr, batch> headers{};
  alignas(cmsghdr) std::array<std::array<char, 128>, batch> control{};
};

struct Count {
  std::uint64_t received = 0;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint32_t dropped = 0;
  double first = 0;
  double last = 0;
};

/// Returns the kernel's time of arrival, and notes what the socket has dropped so far.
double read_control(msghdr& header, std::uint32_t& dropped) {
  double time = 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SO_RXQ_OVFL) std::memcpy(&dropped, CMSG_DATA(part), sizeof dropped);
    if (part->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
    time = static_cast<double>(stamp.tv_sec) + 1e-9 * static_cast<double>(stamp.tv_nsec);
  }
  return time;
}

void set_patience(int socket, timeval time) {
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

/// Other work of the machine must not make slow what is to measure something else.
void take_precedence() {
  const sched_param real_time{.sched_priority = 1};
  if (::sched_setscheduler(0, SCHED_RR, &real_time) != 0) ::setpriority(PRIO_PROCESS, 0, -20);
}

void receive(const char* port, double skip, double seconds) {
  const int socket = udp_socket(nullptr, port, true);
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes);
  ::setsockopt(socket, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
  if (::setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0) fail("no times of arrival");
  set_patience(socket, {.tv_sec = 5, .tv_usec = 0});
  fmt::print("ready\n");
  std::fflush(stdout);
  Batch datagrams(2048);
  Count count;
  double began = 0;
  while (began == 0 || count.last < began + skip + seconds) {
    datagrams.want_control();
    const int got = ::recvmmsg(socket, datagrams.headers.data(), batch, MSG_WAITFORONE, nullptr);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (int i = 0; i < got; ++i) {
      auto& message = datagrams.headers[static_cast<std::size_t>(i)];
      const double time = read_control(message.msg_hdr, count.dropped);
      if (began == 0) {
        began = time;
        set_patience(socket, {.tv_sec = 0, .tv_usec = 500'000});
      }
      ++count.received;
      count.last = time;
      if (time < began + skip) continue;
      if (count.first == 0) {
        count.first = time;  // the rate is that of what comes after it
        continue;
      }
      ++count.packets;
      count.bytes += message.msg_len;
    }
    // Its buffer is large: let it fill rather than wake up for every datagram.
    if (static_cast<std::size_t>(got) < batch) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  fmt::print("{} {} {} {} {:.9f}\n", count.received, count.dropped, count.packets, count.bytes,
             count.last - count.first);
}

void send(int socket, std::size_t bytes, double packets_per_second, double seconds) {
  ::setsockopt(socket, SOL_SOCKET, SO_SNDBUFFORCE, &buffer_bytes, sizeof buffer_bytes);
  Batch datagrams(bytes);
  const auto began = Clock::now();
  const auto elapsed = [&] { return Seconds(Clock::now() - began).count(); };
  std::uint64_t sent = 0;
  double now = 0;
  while ((now = elapsed()) < seconds) {
    std::size_t due = batch;
    // Behind by a pause, it catches up: what is offered in the mean is what was asked for.
    if (packets_per_second > 0) {
      const double owed = packets_per_second * now - static_cast<double>(sent);
      due = std::min(batch, static_cast<std::size_t>(std::max(0.0, owed)));
    }
    if (due == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds{500});
      continue;
    }
    const int done = ::sendmmsg(socket, datagrams.headers.data(), static_cast<unsigned>(due), 0);
    if (done < 0 && errno != EINTR && errno != ENOBUFS && errno != ECONNREFUSED) fail("cannot send");
    if (done > 0) sent += static_cast<std::uint64_t>(done);
  }
  fmt::print("{} {:.6f}\n", sent, elapsed());
}

}  // namespace

int main(int count, char** words) {
  try {
    take_precedence();
    const std::string deed = count > 1 ? words[1] : "";
    if (deed == "receive" && count == 5) {
      receive(words[2], number(words[3]), number(words[4]));
    } else if (deed == "send" && count == 7) {
      const auto bytes = static_cast<std::size_t>(std::clamp(number(words[4]), 1.0, 65507.0));
      const double packets_per_second = number(words[5]) * 1e6 / 8 / static_cast<double>(bytes);
      send(udp_socket(words[2], words[3], false), bytes, packets_per_second, number(words[6]));
    } else {
      throw std::runtime_error(
          "udp_flow takes receive PORT SKIP SECONDS, or send HOST PORT BYTES MBIT SECONDS: see its source");
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lbsp: {}\n", error.what());
    return 1;
  }
}
