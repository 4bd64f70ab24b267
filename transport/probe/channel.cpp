#include "transport/probe/channel.hpp"

namespace lbsp::transport::probe {

using transport::Cipher;
using transport::JobKey;
using transport::WireWriter;

Channel::Channel(const JobKey& session, std::uint32_t id, std::uint16_t tag, End end, Cipher cipher)
    : id_(id),
      tag_(tag),
      out_(session, static_cast<Rank>(end), 1 - static_cast<Rank>(end), cipher),
      in_(session, 1 - static_cast<Rank>(end), static_cast<Rank>(end), cipher) {}

void Channel::seal(Kind kind, std::span<std::byte> datagram, std::size_t clear) {
  const std::uint64_t number = next_++;
  WireWriter out(datagram);
  write(out, Header{kind, id_, tag_, number});
  const std::size_t clear_end = header_bytes + clear;
  out_.seal(number, datagram.first(clear_end), datagram.subspan(clear_end));
}

std::optional<std::span<std::byte>> Channel::open(const Header& header, std::span<std::byte> datagram,
                                                  std::size_t clear) {
  const std::size_t clear_end = header_bytes + clear;
  if (header.session != id_ || datagram.size() < clear_end + seal_bytes) return std::nullopt;
  if (!window_.is_new(header.number)) return std::nullopt;
  const auto body = in_.open(header.number, datagram.first(clear_end), datagram.subspan(clear_end));
  if (body) window_.enter(header.number);
  return body;
}

}  // namespace lbsp::transport::probe
