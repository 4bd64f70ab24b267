#include "transport/udp/batches/receive_batch.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <netinet/udp.h>
#include <optional>

#include "transport/udp/batches/socket_problem.hpp"

namespace lbsp::transport {
namespace {

constexpr std::size_t most_messages = 64;
/// Each is as long as IP allows.
constexpr std::size_t most_trains = 4;
constexpr std::size_t longest_message = 65'535;
/// To find that no second message waits takes the system a third of what the first one takes. So after as many messages
/// that came alone, others are asked for only every so many calls.
constexpr unsigned many_alone = 16;
/// Longer ones are more likely a clock that was set than a process that was stopped.
constexpr Duration longest_in_buffer = std::chrono::minutes{1};

int option_of(int socket, int level, int option) {
  int value = 0;
  socklen_t length = sizeof value;
  return getsockopt(socket, level, option, &value, &length) == 0 ? value : 0;
}

bool takes_trains(int socket) {
  constexpr int on = 1;
  return option_of(socket, SOL_SOCKET, SO_REUSEPORT) == 0 &&
         setsockopt(socket, SOL_UDP, UDP_GRO, &on, sizeof on) == 0;
}

bool ask_for_times(int socket) {
  constexpr int on = 1;
  return setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0;
}

/// By the clock of the system's time stamps, which somebody may set meanwhile.
Duration clock_time() {
  return std::chrono::system_clock::now().time_since_epoch();
}

Duration since_epoch(const timespec& time) {
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

template <class Value>
std::optional<Value> told(msghdr& message, int level, int type) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != level || part->cmsg_type != type) continue;
    Value value{};
    std::memcpy(&value, CMSG_DATA(part), sizeof value);
    return value;
  }
  return std::nullopt;
}

}  // namespace

ReceiveBatch::ReceiveBatch(int socket, const Settings& settings) : socket_(socket), settings_(settings) {
  settings_.trains = settings.trains && takes_trains(socket);
  settings_.ecn = settings.ecn && ask_for_ecn(socket);
  settings_.times = settings.times && ask_for_times(socket);
  const std::size_t count = settings_.trains ? most_trains : most_messages;
  room_ = settings_.trains ? longest_message : settings_.datagram_bytes;
  buffer_.reset(new std::byte[count * room_]);
  sources_.resize(count);
  headers_.resize(count);
  pieces_.resize(count);
  controls_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    pieces_[i] = {buffer_.get() + i * room_, room_};
    headers_[i].msg_hdr.msg_iov = &pieces_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
    if (settings_.sources) headers_[i].msg_hdr.msg_name = sources_[i].get();
    make_room(i);
  }
}

/// The system writes there the length of the address, and of what else it tells, of what comes.
void ReceiveBatch::make_room(std::size_t message) {
  msghdr& header = headers_[message].msg_hdr;
  if (settings_.sources) header.msg_namelen = sizeof sources_[message].storage;
  header.msg_control = controls_[message].bytes.data();
  header.msg_controllen = controls_[message].bytes.size();
}

std::size_t ReceiveBatch::receive() {
  for (std::size_t message = 0; message < came_; ++message)
    make_room(message);
  datagrams_.clear();
  const bool one_at_a_time = alone_ >= many_alone && alone_ % many_alone != 0;
  const std::size_t most = one_at_a_time ? 1 : headers_.size();
  const int received = recvmmsg(socket_, headers_.data(), static_cast<unsigned>(most), MSG_DONTWAIT, nullptr);
  if (received < 0) throw_if_unusable(errno);
  came_ = static_cast<std::size_t>(std::max(received, 0));
  if (came_ > 0) alone_ = came_ > 1 ? 0 : alone_ + 1;
  const Duration read_at = settings_.times && came_ > 0 ? clock_time() : Duration{0};
  for (std::size_t message = 0; message < came_; ++message)
    cut_up(message, read_at);
  return datagrams_.size();
}

/// `read_at`: by clock_time().
void ReceiveBatch::cut_up(std::size_t message, Duration read_at) {
  msghdr& header = headers_[message].msg_hdr;
  sources_[message].length = header.msg_namelen;
  // The system counts modulo 2^32, and says nothing before the first.
  if (const auto dropped = told<std::uint32_t>(header, SOL_SOCKET, SO_RXQ_OVFL))
    overflowed_ += *dropped - static_cast<std::uint32_t>(overflowed_);
  const auto come = std::span(static_cast<std::byte*>(pieces_[message].iov_base), headers_[message].msg_len);
  const int length = settings_.trains ? told<int>(header, SOL_UDP, UDP_GRO).value_or(0) : 0;
  const std::size_t each =
      length > 0 ? static_cast<std::size_t>(length) : std::max<std::size_t>(come.size(), 1);
  const Ecn ecn = settings_.ecn ? ecn_of(header) : Ecn::unknown;
  std::optional<timespec> stamp;
  if (settings_.times) stamp = told<timespec>(header, SOL_SOCKET, SO_TIMESTAMPNS);
  const Duration waited =
      stamp ? std::clamp(read_at - since_epoch(*stamp), Duration{0}, longest_in_buffer) : Duration{0};
  for (std::size_t begin = 0; begin == 0 || begin < come.size(); begin += each) {
    const auto datagram = come.subspan(begin, std::min(each, come.size() - begin));
    datagrams_.push_back(
        {datagram.first(std::min(datagram.size(), settings_.datagram_bytes)), message, ecn, waited});
  }
}

}  // namespace lbsp::transport
