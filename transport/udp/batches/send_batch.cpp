#include "transport/udp/batches/send_batch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netinet/udp.h>
#include <span>

#include "transport/udp/batches/socket_problem.hpp"

namespace lbsp::transport {
namespace {

/// What one UDP datagram may carry at most, and so a train before it is cut up.
constexpr std::size_t most_train_bytes = 65'000;
constexpr std::size_t segment_control_bytes = CMSG_SPACE(sizeof(std::uint16_t));

}  // namespace

/// Nearly all may be marked, so that is what the socket says of itself, and only others cost a word each.
SendBatch::SendBatch(int socket, DatagramPool& pool, bool ecn)
    : socket_(socket), pool_(pool), ecn_(ecn && mark_all(socket, Ecn::capable)) {}

void SendBatch::add(Rank to, const SocketAddress& address, DatagramPool::Slot slot, std::size_t bytes,
                    bool in_train, Ecn ecn) {
  Entry& entry = entries_[end_];
  entry.to = to;
  entry.slot = slot;
  entry.bytes = bytes;
  entry.in_train = in_train && !refuses_trains(to);
  entry.ecn = ecn;
  std::memcpy(entry.address.get(), address.get(), address.length);
  entry.address.length = address.length;
  order_[end_] = static_cast<std::uint8_t>(end_);
  ++end_;
}

bool SendBatch::flush() {
  order();
  while (!empty()) {
    const int sent = hand_over(gather());
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (sent < 0 && errno != EINTR) take_refusal(errno);
    if (sent > 0 && doubted_) refuse_trains(*std::exchange(doubted_, std::nullopt));
    for (int i = 0; i < sent; ++i) {
      const std::size_t length = headers_[static_cast<std::size_t>(i)].msg_hdr.msg_iovlen;
      if (length > 1) in_trains_ += length;
      host_refusals_.taken(at(first_).to);
      for (std::size_t gone = 0; gone < length; ++gone)
        drop_first();
    }
  }
  first_ = end_ = alone_until_ = 0;
  return true;
}

/// Returns how many of the messages the system took, or a negative number, as sendmmsg does. A short superstep is one
/// datagram, for which the plainest call is the fastest: there is less for the system to read.
int SendBatch::hand_over(std::size_t count) {
  const msghdr& message = headers_.front().msg_hdr;
  const bool plain = count == 1 && message.msg_iovlen == 1 && message.msg_controllen == 0;
  if (!plain) return sendmmsg(socket_, headers_.data(), static_cast<unsigned>(count), MSG_DONTWAIT);
  const auto sent = sendto(socket_, message.msg_iov->iov_base, message.msg_iov->iov_len, MSG_DONTWAIT,
                           static_cast<const sockaddr*>(message.msg_name), message.msg_namelen);
  return sent < 0 ? -1 : 1;
}

/// Ranks are served in turns: those of one destination are brought together, in the order in which they came.
void SendBatch::order() {
  const std::span waiting(order_.begin() + static_cast<std::ptrdiff_t>(first_), end_ - first_);
  if (std::ranges::none_of(waiting, [&](std::uint8_t index) { return entries_[index].in_train; })) return;
  std::ranges::sort(waiting, {}, [&](std::uint8_t index) { return std::pair(entries_[index].to, index); });
}

/// Describes what waits to the system, in trains where it may be. Returns how many messages that are.
std::size_t SendBatch::gather() {
  std::size_t count = 0;
  for (std::size_t place = first_; place < end_; ++count) {
    const std::size_t length = length_of_train(place);
    describe(headers_[count], controls_[count], place, length);
    place += length;
  }
  return count;
}

/// All are of the first one's length but the last, which may be shorter.
std::size_t SendBatch::length_of_train(std::size_t first) const {
  const Entry& head = at(first);
  std::size_t length = 1;
  if (first < alone_until_ || !head.in_train) return length;
  const std::size_t most = std::min(longest_train, most_train_bytes / std::max<std::size_t>(head.bytes, 1));
  while (length < most && first + length < end_) {
    const Entry& next = at(first + length);
    if (!next.in_train || next.to != head.to || next.bytes > head.bytes || next.address != head.address ||
        next.ecn != head.ecn)
      break;
    ++length;
    if (next.bytes < head.bytes) break;
  }
  return length;
}

void SendBatch::describe(mmsghdr& header, Control& control, std::size_t first, std::size_t count) {
  for (std::size_t place = first; place < first + count; ++place)
    pieces_[place] = {pool_.bytes(at(place).slot).data(), at(place).bytes};
  msghdr& message = header.msg_hdr;
  Entry& head = entries_[order_[first]];
  message = {};
  message.msg_name = head.address.get();
  message.msg_namelen = head.address.length;
  message.msg_iov = &pieces_[first];
  message.msg_iovlen = count;
  const bool as_usual = !ecn_ || head.ecn == Ecn::capable;
  if (count == 1 && as_usual) return;
  message.msg_control = control.bytes.data();
  message.msg_controllen = (as_usual ? 0 : ecn_control_bytes) + (count == 1 ? 0 : segment_control_bytes);
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  if (!as_usual) {
    write_ecn(*part, head.address, head.ecn);
    part = reinterpret_cast<cmsghdr*>(control.bytes.data() + ecn_control_bytes);
  }
  if (count == 1) return;
  part->cmsg_level = SOL_UDP;
  part->cmsg_type = UDP_SEGMENT;
  part->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
  const auto bytes = static_cast<std::uint16_t>(head.bytes);
  std::memcpy(CMSG_DATA(part), &bytes, sizeof bytes);
}

/// The call reports only its first message's error. Drivers and tunnels that cannot cut up a train say so only when
/// they get one. If its first datagram goes by itself, it was the train's fault; a filter or a lost route refuses both.
void SendBatch::take_refusal(int error) {
  const std::size_t length = headers_.front().msg_hdr.msg_iovlen;
  const Entry& head = at(first_);
  // Old systems do not let single datagrams say something else than their socket.
  if (error == EINVAL && ecn_ && head.ecn != Ecn::capable) return give_up_ecn();
  if (length > 1) {
    alone_until_ = first_ + length;
    if (error != EMSGSIZE && error != ENOBUFS) doubted_ = head.to;
    return;
  }
  doubted_.reset();
  throw_if_unusable(error);
  ++refused_;
  host_refusals_.refused(head.to, error);
  if (error == EMSGSIZE) too_long_.push_back({head.to, head.bytes});
  drop_first();
}

void SendBatch::give_up_ecn() {
  ecn_ = false;
  mark_all(socket_, Ecn::none);
}

void SendBatch::drop_first() {
  pool_.release(at(first_++).slot);
}

void SendBatch::refuse_trains(Rank to) {
  const auto index = static_cast<std::size_t>(to);
  refuses_trains_.resize(std::max(refuses_trains_.size(), index + 1));
  refuses_trains_[index] = true;
}

bool SendBatch::refuses_trains(Rank to) const {
  const auto index = static_cast<std::size_t>(to);
  return index < refuses_trains_.size() && refuses_trains_[index];
}

}  // namespace lbsp::transport
