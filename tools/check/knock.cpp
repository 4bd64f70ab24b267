#include "tools/check/knock.hpp"

#include <algorithm>

#include "transport/wire/byte_order.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::check {
namespace {

using transport::DirectionKey;
using transport::WireReader;
using transport::WireWriter;

constexpr std::uint64_t mark = 0x6b63'6f6e'6b70'7362;  // "bspknock"
constexpr std::size_t header_bytes = 24;
constexpr std::size_t body_bytes = 3;
static_assert(least_knock_bytes >= header_bytes + body_bytes + transport::tag_bytes);

}  // namespace

KnockCipher::KnockCipher(const transport::JobKey& key, int own, int hosts)
    : key_(&key), own_(own), hosts_(hosts) {}

std::vector<std::byte> KnockCipher::seal(const Knock& knock) {
  std::vector<std::byte> datagram(knock.answer ? least_knock_bytes : std::max(knock.size, least_knock_bytes));
  const std::uint64_t number = sent_++;
  WireWriter out(datagram);
  out.put(mark);
  out.put(static_cast<std::uint16_t>(own_));
  out.put(static_cast<std::uint16_t>(knock.to));
  out.put(std::uint32_t{0});
  out.put(number);
  out.put(std::uint8_t{knock.answer});
  out.put(knock.size);
  const auto all = std::span(datagram);
  key_of(out_, own_, knock.to).seal(number, all.first(header_bytes), all.subspan(header_bytes));
  return datagram;
}

std::optional<Knock> KnockCipher::open(std::span<std::byte> datagram) {
  if (datagram.size() < least_knock_bytes) return std::nullopt;
  WireReader in(datagram);
  const bool ours = in.get<std::uint64_t>() == mark;
  const int from = in.get<std::uint16_t>();
  const int to = in.get<std::uint16_t>();
  const auto zero = in.get<std::uint32_t>();
  const auto number = in.get<std::uint64_t>();
  if (!ours || zero != 0 || to != own_ || from == own_ || from >= hosts_) return std::nullopt;
  const auto body =
      key_of(in_, from, own_).open(number, datagram.first(header_bytes), datagram.subspan(header_bytes));
  if (!body) return std::nullopt;
  WireReader inner(*body);
  const auto answer = inner.get<std::uint8_t>();
  const auto size = inner.get<std::uint16_t>();
  return Knock{answer != 0, from, to, size};
}

DirectionKey& KnockCipher::key_of(std::map<int, DirectionKey>& keys, int from, int to) {
  const int other = from == own_ ? to : from;
  return keys
      .try_emplace(other, *key_, static_cast<Rank>(from), static_cast<Rank>(to),
                   transport::Cipher::chacha20_poly1305)
      .first->second;
}

}  // namespace lbsp::check
