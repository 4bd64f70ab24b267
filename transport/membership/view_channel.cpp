#include "transport/membership/view_channel.hpp"

#include <array>
#include <string_view>

#include "transport/wire/packet_number.hpp"

namespace lbsp::transport {
namespace {

/// Nobody loses so many views in a row and is still a member.
constexpr std::uint64_t farthest_number = DirectionKey::packets_per_epoch;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

ViewChannel::ViewChannel(const JobKey& epoch_key, Slot self, const MemberSet& members, Cipher cipher)
    : self_(self), peers_(static_cast<std::size_t>(members.bound())) {
  const JobKey key = epoch_key.derived(bytes_of("views"));
  tag_ = key.tag();
  (members - MemberSet{self}).for_each([&](Slot slot) {
    peers_[static_cast<std::size_t>(slot)].emplace(
        Peer{DirectionKey(key, self, slot, cipher), DirectionKey(key, slot, self, cipher)});
  });
}

std::size_t ViewChannel::write(Slot to, const View& view, std::span<std::byte> buffer) {
  Peer& peer = *peers_[static_cast<std::size_t>(to)];
  WireWriter out(buffer);
  transport::write(out, ClearHeader{DatagramKind::view, self_, to, tag_, peer.next, 0});
  transport::write(out, view);
  const std::size_t bytes = out.written() + tag_bytes;
  peer.sealing.seal(peer.next++, buffer.first(clear_header_bytes),
                    buffer.subspan(clear_header_bytes, bytes - clear_header_bytes));
  return bytes;
}

std::optional<std::pair<Slot, View>> ViewChannel::read(std::span<std::byte> datagram) {
  const auto header = read_clear_header(datagram);
  const bool fits = header && header->kind == DatagramKind::view && header->job_tag == tag_ &&
                    header->destination == self_ && static_cast<std::size_t>(header->source) < peers_.size();
  if (!fits || !peers_[static_cast<std::size_t>(header->source)]) return std::nullopt;
  Peer& peer = *peers_[static_cast<std::size_t>(header->source)];
  const std::uint64_t number = whole_packet_number(header->packet_number, peer.numbers.next());
  if (!peer.numbers.is_new(number) || number > peer.numbers.next() + farthest_number) return std::nullopt;
  const auto body =
      peer.opening.open(number, datagram.first(clear_header_bytes), datagram.subspan(clear_header_bytes));
  if (!body) return std::nullopt;
  peer.numbers.enter(number);
  WireReader in(*body);
  auto view = read_view(in);
  if (!view || !in.rest().empty()) return std::nullopt;
  return std::pair{header->source, std::move(*view)};
}

JobKey next_epoch_key(const JobKey& key, Epoch epoch, const Decision& value) {
  constexpr std::string_view context = "epoch";
  std::array<std::byte, context.size() + sizeof(Epoch) + longest_view_bytes> text;
  WireWriter out(text);
  out.put(bytes_of(context));
  out.put(epoch + 1);
  write(out, value);
  return key.derived(std::span<const std::byte>(text).first(out.written()));
}

}  // namespace lbsp::transport
