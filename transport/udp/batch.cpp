#include "transport/udp/batch.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

// Errors that say nothing about one datagram: repeating the call would fail for ever.
void throw_if_unusable(int error) {
  if (error == EBADF || error == ENOTSOCK || error == EFAULT || error == EOPNOTSUPP) {
    throw SystemError(fmt::format("the UDP socket failed ({}): start the job again", std::strerror(error)));
  }
}

}  // namespace

SendBatch::SendBatch(int socket, DatagramPool& pool) : socket_(socket), pool_(pool) {
  for (std::size_t i = 0; i < batch_datagrams; ++i) {
    messages_[i].msg_hdr.msg_iov = &pieces_[i];
    messages_[i].msg_hdr.msg_iovlen = 1;
    messages_[i].msg_hdr.msg_name = addresses_[i].get();
  }
}

void SendBatch::add(Rank to, const SocketAddress& address, DatagramPool::Slot slot, std::size_t bytes) {
  std::memcpy(addresses_[end_].get(), address.get(), address.length);
  messages_[end_].msg_hdr.msg_namelen = address.length;
  pieces_[end_] = {pool_.bytes(slot).data(), bytes};
  slots_[end_] = slot;
  destinations_[end_] = to;
  ++end_;
}

bool SendBatch::flush() {
  while (!empty()) {
    const int sent =
        sendmmsg(socket_, &messages_[first_], static_cast<unsigned>(end_ - first_), MSG_DONTWAIT);
    if (sent >= 0) {
      for (int i = 0; i < sent; ++i)
        drop_first();
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return false;
    } else if (errno != EINTR) {
      // The call reports only its first datagram's error.
      throw_if_unusable(errno);
      ++refused_;
      if (errno == EMSGSIZE) too_long_.push_back({destinations_[first_], pieces_[first_].iov_len});
      drop_first();
    }
  }
  first_ = end_ = 0;
  return true;
}

void SendBatch::drop_first() {
  pool_.release(slots_[first_++]);
}

ReceiveBatch::ReceiveBatch(int socket, std::size_t datagram_bytes, Sources sources)
    : socket_(socket), buffer_(new std::byte[batch_datagrams * datagram_bytes]), kept_(sources) {
  for (std::size_t i = 0; i < batch_datagrams; ++i) {
    pieces_[i] = {buffer_.get() + i * datagram_bytes, datagram_bytes};
    messages_[i].msg_hdr.msg_iov = &pieces_[i];
    messages_[i].msg_hdr.msg_iovlen = 1;
    if (kept_ == Sources::kept) messages_[i].msg_hdr.msg_name = sources_[i].get();
  }
}

std::size_t ReceiveBatch::receive() {
  // The call before wrote the lengths of its addresses and of what else it told there.
  for (std::size_t i = 0; i < batch_datagrams; ++i) {
    if (kept_ == Sources::kept) messages_[i].msg_hdr.msg_namelen = sizeof sources_[i].storage;
    messages_[i].msg_hdr.msg_control = controls_[i].bytes.data();
    messages_[i].msg_hdr.msg_controllen = controls_[i].bytes.size();
  }
  const int received = recvmmsg(socket_, messages_.data(), batch_datagrams, MSG_DONTWAIT, nullptr);
  if (received > 0) count_overflowed(messages_[static_cast<std::size_t>(received - 1)].msg_hdr);
  if (received >= 0) return static_cast<std::size_t>(received);
  throw_if_unusable(errno);
  return 0;
}

// The system counts modulo 2^32, and says nothing before the first.
void ReceiveBatch::count_overflowed(msghdr& newest) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&newest); part != nullptr; part = CMSG_NXTHDR(&newest, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SO_RXQ_OVFL) continue;
    std::uint32_t dropped = 0;
    std::memcpy(&dropped, CMSG_DATA(part), sizeof dropped);
    overflowed_ += dropped - static_cast<std::uint32_t>(overflowed_);
  }
}

}  // namespace lbsp::transport
