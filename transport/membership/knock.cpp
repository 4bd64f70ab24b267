#include "transport/membership/knock.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "transport/wire/packet_number.hpp"

namespace lbsp::transport {
namespace {

constexpr std::size_t knock_readable_bytes = clear_header_bytes + sizeof(Incarnation);
constexpr std::size_t letter_readable_bytes = clear_header_bytes + sizeof(Epoch);

std::span<const std::byte> context_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::uint16_t newcomers_tag(const JobKey& job_key) {
  return job_key.derived(context_bytes("newcomers")).tag();
}

JobKey key_of_knocks(const JobKey& job_key, const Incarnation& incarnation) {
  constexpr std::string_view context = "knock";
  std::array<std::byte, context.size() + sizeof(Incarnation)> text;
  WireWriter out(text);
  out.put(context_bytes(context));
  out.put(std::span<const std::byte>(incarnation.bytes));
  return job_key.derived(text);
}

JobKey key_of_letters(const JobKey& job_key, const Incarnation& incarnation, Epoch epoch) {
  constexpr std::string_view context = "seat";
  std::array<std::byte, context.size() + sizeof(Incarnation) + sizeof(Epoch)> text;
  WireWriter out(text);
  out.put(context_bytes(context));
  out.put(std::span<const std::byte>(incarnation.bytes));
  out.put(epoch);
  return job_key.derived(text);
}

}  // namespace

std::optional<Seat> seat_in_knock(std::span<const std::byte> datagram) {
  const auto header = read_clear_header(datagram);
  if (!header || header->kind != DatagramKind::knock || datagram.size() != knock_bytes) return std::nullopt;
  Seat seat{.slot = header->source, .spare = 0, .incarnation = {}};
  std::ranges::copy(datagram.subspan(clear_header_bytes, sizeof(Incarnation)),
                    seat.incarnation.bytes.begin());
  return seat;
}

KnockChannel::KnockChannel(const JobKey& job_key, const Seat& seat, Slot size, Cipher cipher)
    : job_key_(job_key), seat_(seat), cipher_(cipher), tag_(newcomers_tag(job_key)) {
  const JobKey key = key_of_knocks(job_key, seat.incarnation);
  for (Slot slot = 0; slot < size; ++slot)
    peers_.push_back({DirectionKey(key, seat.slot, slot, cipher)});
}

std::size_t KnockChannel::write(Slot to, std::span<std::byte> buffer) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  WireWriter out(buffer);
  transport::write(out, ClearHeader{DatagramKind::knock, seat_.slot, to, tag_, peer.next, 0});
  out.put(std::span<const std::byte>(seat_.incarnation.bytes));
  out.put(seat_.spare);
  peer.sealing.seal(peer.next++, buffer.first(knock_readable_bytes),
                    buffer.subspan(knock_readable_bytes, knock_bytes - knock_readable_bytes));
  return knock_bytes;
}

std::optional<Letter> KnockChannel::read(std::span<std::byte> datagram) const {
  const auto header = read_clear_header(datagram);
  const bool fits = header && header->kind == DatagramKind::seat && header->job_tag == tag_ &&
                    header->destination == seat_.slot && datagram.size() > letter_readable_bytes + tag_bytes;
  if (!fits || static_cast<std::size_t>(header->source) >= peers_.size()) return std::nullopt;
  WireReader epoch_in(datagram.subspan(clear_header_bytes));
  const auto epoch = epoch_in.get<Epoch>();
  DirectionKey opening(key_of_letters(job_key_, seat_.incarnation, epoch), header->source, seat_.slot,
                       cipher_);
  const auto body = opening.open(header->packet_number, datagram.first(letter_readable_bytes),
                                 datagram.subspan(letter_readable_bytes));
  if (!body) return std::nullopt;
  WireReader in(*body);
  auto letter = read_letter(in);
  if (!letter || std::ranges::find(letter->value.seats, seat_) == letter->value.seats.end())
    return std::nullopt;
  letter->epoch = epoch;
  return letter;
}

DoorChannel::DoorChannel(const JobKey& job_key, Slot self, const Seat& seat, Cipher cipher)
    : job_key_(job_key),
      self_(self),
      seat_(seat),
      cipher_(cipher),
      tag_(newcomers_tag(job_key)),
      opening_(key_of_knocks(job_key, seat.incarnation), seat.slot, self, cipher) {}

std::optional<std::uint16_t> DoorChannel::read(std::span<std::byte> datagram) {
  const auto header = read_clear_header(datagram);
  if (!header || header->job_tag != tag_ || header->destination != self_) return std::nullopt;
  const std::uint64_t number = whole_packet_number(header->packet_number, numbers_.next());
  if (!numbers_.is_new(number)) return std::nullopt;
  const auto body =
      opening_.open(number, datagram.first(knock_readable_bytes), datagram.subspan(knock_readable_bytes));
  if (!body) return std::nullopt;
  numbers_.enter(number);
  WireReader in(*body);
  return in.get<std::uint16_t>();
}

std::size_t DoorChannel::write(const Letter& letter, std::span<std::byte> buffer) {
  WireWriter out(buffer);
  transport::write(out, ClearHeader{DatagramKind::seat, self_, seat_.slot, tag_, letters_, 0});
  out.put(letter.epoch);
  transport::write(out, letter);
  const std::size_t bytes = out.written() + tag_bytes;
  DirectionKey sealing(key_of_letters(job_key_, seat_.incarnation, letter.epoch), self_, seat_.slot, cipher_);
  sealing.seal(letters_++, buffer.first(letter_readable_bytes),
               buffer.subspan(letter_readable_bytes, bytes - letter_readable_bytes));
  return bytes;
}

}  // namespace lbsp::transport
