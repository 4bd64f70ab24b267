#include "lbsp/collectives/all_gather.hpp"

#include <bit>

#include "lbsp/collectives/courier.hpp"
#include "lbsp/collectives/kinds.hpp"
#include "transport/bytes.hpp"

namespace lbsp::collectives {
namespace {

/// Ranks that differ in one bit exchange all they have, which always stands together.
void recursive_doubling(Courier& courier, std::span<std::byte> all, std::size_t each) {
  for (Rank width = 1; width < courier.size(); width *= 2) {
    const Rank partner = courier.rank() ^ width;
    const auto blocks_of = [&](Rank rank) {
      return all.subspan(static_cast<std::size_t>(rank / width * width) * each,
                         static_cast<std::size_t>(width) * each);
    };
    courier.send(partner, blocks_of(courier.rank()));
    courier.sync();
    courier.fetch(partner, blocks_of(partner));
  }
}

/// Bruck et al., IEEE TPDS 8 (1997): each rank keeps the blocks in the order of the ranks from itself on.
void bruck(Courier& courier, std::span<std::byte> all, std::size_t each) {
  const Rank size = courier.size();
  const auto bytes_of = [&](Rank blocks) { return static_cast<std::size_t>(blocks) * each; };
  Bytes own_first(all.size());
  const std::span<std::byte> blocks(own_first);
  std::ranges::copy(all.subspan(bytes_of(courier.rank()), each), blocks.begin());
  for (Rank held = 1; held < size; held *= 2) {
    const Rank count = std::min(held, size - held);
    courier.send((courier.rank() + size - held) % size, blocks.first(bytes_of(count)));
    courier.sync();
    courier.fetch((courier.rank() + held) % size, blocks.subspan(bytes_of(held), bytes_of(count)));
  }
  const auto from_rank_0 = static_cast<std::ptrdiff_t>(bytes_of((size - courier.rank()) % size));
  std::ranges::rotate_copy(blocks, blocks.begin() + from_rank_0, all.begin());
}

}  // namespace

void all_gather(World& world, std::span<std::byte> all, AllGather how) {
  const std::size_t each = all.size() / static_cast<std::size_t>(world.size());
  Courier courier(world, {.name = kind_of(how), .bytes = each});
  if (courier.size() == 1) return;
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(courier.size()));
  if (how == AllGather::recursive_doubling && power_of_two) return recursive_doubling(courier, all, each);
  if (how == AllGather::recursive_doubling || how == AllGather::bruck) return bruck(courier, all, each);
  const auto blocks = parts_of({all, std::max<std::size_t>(each, 1)}, courier.size());
  if (how == AllGather::ring) return all_gather_ring(courier, blocks);
  all_gather_direct(courier, blocks);
}

}  // namespace lbsp::collectives
