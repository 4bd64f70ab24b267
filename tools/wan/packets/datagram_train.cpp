#include "tools/wan/packets/datagram_train.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>

#include "tools/wan/packets/checksum.hpp"
#include "tools/wan/packets/ip_packet.hpp"

namespace lbsp::wan::packets {
namespace {

constexpr std::byte ip_version_4{0x45};
/// IP's length has 16 bits.
constexpr std::size_t most_train_bytes = 65'000;

/// Of fields.
struct At {
  static constexpr std::size_t ip_length = 2;
  static constexpr std::size_t identification = 4;
  static constexpr std::size_t fragment = 6;
  static constexpr std::size_t lifetime = 8;
  static constexpr std::size_t protocol = 9;
  static constexpr std::size_t ip_checksum = 10;
  static constexpr std::size_t addresses = 12;
  static constexpr std::size_t ports = 20;
  static constexpr std::size_t udp_length = 24;
  static constexpr std::size_t udp_checksum = 26;
};

std::uint16_t as_read(std::span<const std::byte> packet, std::size_t offset) {
  std::uint16_t value = 0;
  std::memcpy(&value, packet.subspan(offset, sizeof value).data(), sizeof value);
  return value;
}

std::uint16_t network_order(std::size_t value) {
  return htons(static_cast<std::uint16_t>(value));
}

/// A datagram, or a train of them, that is no fragment.
bool is_datagram(std::span<const std::byte> packet) {
  return packet.size() >= least_ip_header + udp_header && packet[0] == ip_version_4 &&
         packet[At::protocol] == std::byte{udp_protocol} &&
         (ntohs(as_read(packet, At::fragment)) & 0x3fffU) == 0;
}

/// What UDP's checksum is of besides the datagram (RFC 768).
std::uint64_t pseudo_header(std::span<const std::byte> packet, std::size_t udp_bytes) {
  return internet_sum(packet.subspan(At::addresses, 8)) + network_order(udp_protocol) +
         network_order(udp_bytes);
}

/// Of IP's header and UDP's, for so many bytes of payload behind them. The checksum of the header is mended.
void put_lengths(std::span<std::byte> headers, std::size_t payload_bytes) {
  put_as_read(headers, At::ip_length, network_order(least_ip_header + udp_header + payload_bytes));
  put_as_read(headers, At::udp_length, network_order(udp_header + payload_bytes));
  put_as_read(headers, At::ip_checksum, 0);
  put_as_read(headers, At::ip_checksum,
              static_cast<std::uint16_t>(~folded(internet_sum(headers.first(least_ip_header)))));
}

/// 0 says that there is no checksum.
std::uint16_t udp_checksum(std::uint64_t sum) {
  const auto checksum = static_cast<std::uint16_t>(~folded(sum));
  return checksum == 0 ? 0xffff : checksum;
}

}  // namespace

void complete_checksum(const OffloadHeader& header, std::span<std::byte> packet) {
  const std::size_t place = std::size_t{header.checksum_begin} + header.checksum_offset;
  const bool left = (header.flags & OffloadHeader::checksum_left) != 0;
  if (!left || place + 2 > packet.size()) return;
  // Its own place has the sum of what is not in the packet.
  put_as_read(packet, place, udp_checksum(internet_sum(packet.subspan(header.checksum_begin))));
}

std::size_t cut_datagram(std::span<const std::byte> train, std::size_t payload_bytes, std::size_t index,
                         std::span<std::byte> place) {
  constexpr std::size_t headers = least_ip_header + udp_header;
  if (!is_datagram(train) || payload_bytes == 0) return 0;
  const auto payloads = train.subspan(headers);
  const std::size_t begin = index * payload_bytes;
  if (begin >= payloads.size()) return 0;
  const auto payload = payloads.subspan(begin, std::min(payload_bytes, payloads.size() - begin));
  const std::size_t bytes = headers + payload.size();
  if (bytes > place.size()) return 0;
  const auto packet = place.first(bytes);
  std::ranges::copy(train.first(headers), packet.begin());
  std::ranges::copy(payload, packet.begin() + headers);
  put_as_read(packet, At::identification,
              network_order(std::size_t{ntohs(as_read(train, At::identification))} + index));
  put_lengths(packet, payload.size());
  put_as_read(packet, At::udp_checksum, 0);
  put_as_read(packet, At::udp_checksum,
              udp_checksum(internet_sum(packet.subspan(least_ip_header)) +
                           pseudo_header(packet, udp_header + payload.size())));
  return bytes;
}

bool OutgoingTrain::takes(std::span<const std::byte> packet) const {
  if (packets_.empty()) return true;
  const auto first = packets_.front();
  // Without a checksum its receiver is to see bytes that have changed, which is another flow.
  const auto may_be_in_train = [](std::span<const std::byte> one) {
    return is_datagram(one) && one.size() > header_bytes && as_read(one, At::udp_checksum) != 0;
  };
  const auto same = [&](std::size_t offset, std::size_t bytes) {
    return std::ranges::equal(first.subspan(offset, bytes), packet.subspan(offset, bytes));
  };
  return may_be_in_train(first) && may_be_in_train(packet) && same(0, At::ip_length) &&
         same(At::fragment, At::ip_checksum - At::fragment) &&
         same(At::addresses, At::udp_length - At::addresses) && packets_.back().size() == first.size() &&
         packet.size() <= first.size() &&
         header_bytes + (packets_.size() + 1) * (first.size() - header_bytes) <= most_train_bytes;
}

void OutgoingTrain::add_piece(const void* begin, std::size_t bytes) {
  pieces_.push_back({const_cast<void*>(begin), bytes});
}

std::span<const iovec> OutgoingTrain::alone(std::size_t index) {
  pieces_.clear();
  offload_ = {};
  add_piece(&offload_, sizeof offload_);
  add_piece(packets_[index].data(), packets_[index].size());
  return pieces_;
}

std::span<const iovec> OutgoingTrain::together() {
  if (packets_.size() < 2) return alone(0);
  pieces_.clear();
  const auto first = packets_.front();
  const std::size_t each = first.size() - header_bytes;
  const std::size_t payload = (packets_.size() - 1) * each + packets_.back().size() - header_bytes;
  std::ranges::copy(first.first(header_bytes), headers_.begin());
  put_lengths(headers_, payload);
  put_as_read(headers_, At::udp_checksum, folded(pseudo_header(headers_, udp_header + payload)));
  offload_ = {};
  offload_.flags = OffloadHeader::checksum_left;
  offload_.kind = OffloadHeader::train_of_datagrams;
  offload_.header_bytes = header_bytes;
  offload_.payload_bytes = static_cast<std::uint16_t>(each);
  offload_.checksum_begin = least_ip_header;
  offload_.checksum_offset = At::udp_checksum - least_ip_header;
  add_piece(&offload_, sizeof offload_);
  add_piece(headers_.data(), headers_.size());
  for (const auto packet : packets_)
    add_piece(packet.data() + header_bytes, packet.size() - header_bytes);
  return pieces_;
}

}  // namespace lbsp::wan::packets
