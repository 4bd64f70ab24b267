#include "transport/shared_memory/shared_memory_exchange.hpp"

#include <utility>

#include "transport/exchange_copies.hpp"
#include "transport/process/address.hpp"
#include "transport/shared_memory/receive.hpp"

namespace lbsp::transport {

using shared_memory::first_leg_slot;

SharedMemoryExchange::SharedMemoryExchange(shared_memory::Ground ground,
                                           const shared_memory::LinksConfig& config, Rank size,
                                           std::uint64_t max_message_bytes)
    : rank_(config.self),
      size_(size),
      ceiling_(config.self, size, max_message_bytes),
      arrived_(static_cast<std::size_t>(size)),
      links_(std::move(ground), config) {
  for (Rank next = 1; next < size; ++next)
    others_.push_back((rank_ + next) % size);
}

std::vector<Bytes> SharedMemoryExchange::exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size_);
  return exchange_copies(*this, rank_, outgoing, false);
}

std::vector<Bytes> SharedMemoryExchange::reply(std::vector<Bytes> outgoing,
                                               const std::vector<Rank>& destinations,
                                               const std::vector<Rank>& sources) {
  check_outgoing(outgoing, size_);
  check_ranks(destinations, rank_, size_);
  check_ranks(sources, rank_, size_);
  links_.end().throw_if_ended();
  for (const Rank to : destinations)
    ceiling_.check(to, outgoing[static_cast<std::size_t>(to)].size(), superstep_);
  ceiling_.forget_offers();
  shared_memory::Replied done =
      exchange_replies(links_, {std::move(outgoing), destinations, sources}, superstep_);
  counters_.payload_bytes_sent += done.sent;
  counters_.payload_bytes_received += done.received;
  return std::move(done.incoming);
}

std::span<std::byte> SharedMemoryExchange::room(Rank to, std::size_t bytes, std::size_t used) {
  ceiling_.check(to, bytes, superstep_);
  return links_.outbox().room(to, first_leg_slot(superstep_), bytes, used);
}

void SharedMemoryExchange::copy(Rank to, std::byte* place, std::span<const std::byte> bytes) {
  links_.outbox().copy(to, place, bytes);
}

std::span<const std::span<const std::byte>> SharedMemoryExchange::exchange(
    std::span<const std::size_t> lengths, bool /*last*/, const Deed& meanwhile) {
  links_.end().throw_if_ended();
  const shared_memory::Slot slot = first_leg_slot(superstep_);
  std::uint64_t sent = 0;
  for (const Rank to : others_) {
    const std::size_t bytes = lengths[static_cast<std::size_t>(to)];
    ceiling_.check(to, bytes, superstep_);
    links_.outbox().post(to, slot, superstep_ + 1, bytes);
    sent += bytes;
  }
  ceiling_.forget_offers();
  return complete(sent, meanwhile);
}

std::span<const std::span<const std::byte>> SharedMemoryExchange::exchange_alike(Alike message,
                                                                                 const Deed& meanwhile) {
  links_.end().throw_if_ended();
  const shared_memory::Slot slot = first_leg_slot(superstep_);
  for (const Rank to : others_) {
    ceiling_.check(to, message.size(), superstep_);
    links_.outbox().post_alike(to, slot, superstep_ + 1, message);
  }
  return complete(message.size() * others_.size(), meanwhile);
}

std::span<const std::span<const std::byte>> SharedMemoryExchange::complete(std::uint64_t sent,
                                                                           const Deed& meanwhile) {
  const shared_memory::Slot slot = first_leg_slot(superstep_);
  for (const Rank from : others_)
    links_.inbox().expect(from, slot);
  meanwhile();
  counters_.payload_bytes_sent += sent;
  for (const Rank to : others_)
    links_.outbox().notify(to, slot);
  counters_.payload_bytes_received += receive(
      links_.inbox(), {.slot = slot, .sequence = superstep_ + 1, .sources = others_, .superstep = superstep_},
      [this](Rank from, auto message) { arrived_[static_cast<std::size_t>(from)] = message; });
  if (superstep_ == 0) links_.fetches().try_reach(others_);
  ++superstep_;
  for (const Rank to : others_)
    links_.outbox().make_ready(to, first_leg_slot(superstep_));
  return arrived_;
}

std::uint64_t SharedMemoryExchange::offer(Rank to, std::span<const std::byte> memory) {
  ceiling_.offer(to, memory.size(), superstep_);
  counters_.payload_bytes_sent += memory.size();
  return address_of(memory.data());
}

void SharedMemoryExchange::fetch(Rank from, std::uint64_t address, std::span<std::byte> into) {
  links_.fetches().fetch(from, address, into, superstep_ - 1);
  counters_.payload_bytes_received += into.size();
}

void SharedMemoryExchange::settle(Leg leg, std::span<const Rank> owners, std::span<const Rank> readers) {
  links_.fetches().settle(leg == Leg::first, superstep_, owners, readers);
}

shared_memory::Ground open_segment(shared_memory::SegmentFile file, const shared_memory::Geometry& geometry,
                                   Rank seat) {
  file.check(geometry);
  const auto board = std::make_shared<shared_memory::Mapping>(file, 0, geometry.board_bytes(), true);
  auto memory = std::make_shared<shared_memory::SegmentMemory>(std::move(file), geometry, seat);
  const shared_memory::Board seats(board->memory(), geometry.seats);
  auto reach = std::make_shared<shared_memory::OtherProcesses>(seats, seat);
  return {seats, std::move(memory), std::move(reach), board};
}

}  // namespace lbsp::transport
