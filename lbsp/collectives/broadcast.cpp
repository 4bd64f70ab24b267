#include "lbsp/collectives/broadcast.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "lbsp/collectives/courier.hpp"
#include "lbsp/collectives/kinds.hpp"
#include "lbsp/partition.hpp"

namespace lbsp::collectives {
namespace {

/// Ranks counted from the root.
struct Circle {
  Rank root;
  Rank size;

  Rank place(Rank rank) const { return (rank - root + size) % size; }
  Rank rank(Rank place) const { return (place + root) % size; }
};

void direct(Courier& courier, std::span<std::byte> bytes, Rank root) {
  for (Rank to = 0; courier.rank() == root && to < courier.size(); ++to) {
    if (to != root) courier.send(to, bytes);
  }
  courier.sync();
  if (courier.rank() != root) courier.fetch(root, bytes);
}

void binomial_tree(Courier& courier, std::span<std::byte> bytes, const Circle& circle) {
  const Rank place = circle.place(courier.rank());
  for (Rank senders = 1; senders < circle.size; senders *= 2) {
    const Rank to = place + senders;
    if (place < senders && to < circle.size) courier.send(circle.rank(to), bytes);
    courier.sync();
    if (place >= senders && place < 2 * senders) courier.fetch(circle.rank(place - senders), bytes);
  }
}

/// The bytes of the parts from place `begin` to before `end`.
std::span<std::byte> bytes_between(const Vector& values, Rank size, Rank begin, Rank end) {
  const std::size_t first = part_of(values.count(), size, begin).begin;
  const std::size_t last = part_of(values.count(), size, std::min(end, size) - 1).end();
  return values.bytes.subspan(first * values.element_bytes, (last - first) * values.element_bytes);
}

/// Leaves its part at every place; whoever has a stretch of parts hands its second half on.
void scatter_over_tree(Courier& courier, const Vector& values, const Circle& circle) {
  const Rank place = circle.place(courier.rank());
  for (Rank half = static_cast<Rank>(std::bit_ceil(static_cast<unsigned>(circle.size)) / 2); half > 0;
       half /= 2) {
    const bool first = place % (2 * half) == 0;
    const bool second = place % (2 * half) == half;
    if (first && place + half < circle.size) {
      courier.send(circle.rank(place + half),
                   bytes_between(values, circle.size, place + half, place + 2 * half));
    }
    courier.sync();
    if (second)
      courier.fetch(circle.rank(place - half), bytes_between(values, circle.size, place, place + half));
  }
}

void scatter_directly(Courier& courier, std::span<const std::span<std::byte>> parts, Rank root) {
  for (Rank to = 0; courier.rank() == root && to < courier.size(); ++to) {
    if (to != root) courier.send(to, parts[static_cast<std::size_t>(to)]);
  }
  courier.sync();
  if (courier.rank() != root) courier.fetch(root, parts[static_cast<std::size_t>(courier.rank())]);
}

/// Each rank's part: the parts in their order belong to the ranks from the root on.
std::vector<std::span<std::byte>> parts_by_rank(const Vector& values, const Circle& circle) {
  auto parts = parts_of(values, circle.size);
  std::ranges::rotate(parts, parts.begin() + circle.place(0));
  return parts;
}

}  // namespace

void broadcast(World& world, const Vector& values, Rank root, Broadcast how) {
  Courier courier(world, {kind_of(how), root, element_bytes_of(values), values.bytes.size()});
  if (courier.size() == 1) return;
  const Circle circle{root, courier.size()};
  if (how == Broadcast::direct) return direct(courier, values.bytes, root);
  if (how == Broadcast::binomial_tree) return binomial_tree(courier, values.bytes, circle);
  const auto parts = parts_by_rank(values, circle);
  if (how == Broadcast::two_phase) {
    scatter_directly(courier, parts, root);
    all_gather_direct(courier, parts);
  } else {
    scatter_over_tree(courier, values, circle);
    all_gather_ring(courier, parts);
  }
}

}  // namespace lbsp::collectives
