#include "lbsp/collectives/courier.hpp"

#include <cstring>
#include <fmt/format.h>

#include "lbsp/collectives/checks.hpp"
#include "lbsp/partition.hpp"
#include "transport/error.hpp"

namespace lbsp::collectives {
namespace {

std::size_t index(Rank rank) {
  return static_cast<std::size_t>(rank);
}

}  // namespace

// The call is logged before the queue: errors then name the call.
Courier::Courier(World& world, const superstep::CollectiveCall& call)
    : world_(world),
      rank_(world.rank()),
      size_(world.size()),
      queue_(announced(world, call)),
      received_(index(size_)) {}

void Courier::send(Rank to, std::span<const std::byte> bytes) const {
  if (!bytes.empty()) queue_.send(to, 0, bytes);
}

void Courier::sync() {
  world_.sync();
  received_.assign(index(size_), {});
  for (const auto message : queue_)
    received_[index(message.source())] = message.values();
}

std::span<const std::byte> Courier::from(Rank source) const {
  return received_[index(source)];
}

void Courier::fetch(Rank source, std::span<std::byte> into) const {
  const auto bytes = from(source);
  if (bytes.size() != into.size()) {
    throw UsageError(
        fmt::format("rank {} sent {} bytes where {} were due: call the collectives in the same "
                    "order on every rank",
                    source, bytes.size(), into.size()));
  }
  if (!bytes.empty()) std::memcpy(into.data(), bytes.data(), bytes.size());
}

void all_gather_direct(Courier& courier, std::span<const std::span<std::byte>> blocks) {
  for (Rank to = 0; to < courier.size(); ++to) {
    if (to != courier.rank()) courier.send(to, blocks[index(courier.rank())]);
  }
  courier.sync();
  for (Rank source = 0; source < courier.size(); ++source) {
    if (source != courier.rank()) courier.fetch(source, blocks[index(source)]);
  }
}

void all_gather_ring(Courier& courier, std::span<const std::span<std::byte>> blocks) {
  const Rank size = courier.size();
  const Rank next = (courier.rank() + 1) % size;
  const Rank previous = (courier.rank() + size - 1) % size;
  for (Rank step = 0; step + 1 < size; ++step) {
    courier.send(next, blocks[index((courier.rank() + size - step) % size)]);
    courier.sync();
    courier.fetch(previous, blocks[index((previous + size - step) % size)]);
  }
}

std::vector<std::span<std::byte>> parts_of(const Vector& vector, Rank ranks) {
  std::vector<std::span<std::byte>> parts;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Range part = part_of(vector.count(), ranks, rank);
    parts.push_back(
        vector.bytes.subspan(part.begin * vector.element_bytes, part.count * vector.element_bytes));
  }
  return parts;
}

}  // namespace lbsp::collectives
