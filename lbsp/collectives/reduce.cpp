#include "lbsp/collectives/reduce.hpp"

#include <algorithm>
#include <optional>

#include "lbsp/collectives/courier.hpp"
#include "lbsp/collectives/kinds.hpp"
#include "lbsp/collectives/tree_fold.hpp"

namespace lbsp::collectives {
namespace {

/// Combines what every rank sent of the stretch `own`, this rank's contribution, into it.
void fold_arrivals(const Courier& courier, std::span<std::byte> own, std::size_t element_bytes,
                   const Combine& combine) {
  if (own.empty()) return;
  TreeFold fold(combine, element_bytes);
  for (Rank source = 0; source < courier.size(); ++source)
    fold.add(source == courier.rank() ? own : courier.from(source));
  fold.finish(own);
}

void reduce_directly(Courier& courier, const Vector& values, const Combine& combine, Rank root) {
  if (courier.rank() != root) courier.send(root, values.bytes);
  courier.sync();
  if (courier.rank() == root) fold_arrivals(courier, values.bytes, values.element_bytes, combine);
}

/// Neighbouring blocks of ranks are merged until one is left. A block's values are with the root if it is in
/// it, else with its first rank.
void reduce_over_tree(Courier& courier, const Vector& values, const Combine& combine, Rank root) {
  const Rank self = courier.rank();
  for (Rank width = 1; width < courier.size(); width *= 2) {
    const auto holder = [&](Rank begin, Rank ranks) {
      return root >= begin && root < begin + ranks ? root : begin;
    };
    const Rank left = self / (2 * width) * (2 * width);
    const Rank left_holder = holder(left, width);
    const Rank right_holder = holder(left + width, width);
    const bool merges = left + width < courier.size();
    const Rank into = holder(left, 2 * width);
    const Rank out_of = into == left_holder ? right_holder : left_holder;
    if (merges && self == out_of) courier.send(into, values.bytes);
    courier.sync();
    if (!merges || self != into || values.bytes.empty()) continue;
    const std::byte* const theirs = courier.from(out_of).data();
    std::byte* const own = values.bytes.data();
    combine(into == left_holder ? own : theirs, into == left_holder ? theirs : own, own, values.count());
  }
}

/// Leaves on every rank the combination of its part.
void reduce_scatter(Courier& courier, std::span<const std::span<std::byte>> parts, std::size_t element_bytes,
                    const Combine& combine) {
  for (Rank to = 0; to < courier.size(); ++to) {
    if (to != courier.rank()) courier.send(to, parts[static_cast<std::size_t>(to)]);
  }
  courier.sync();
  fold_arrivals(courier, parts[static_cast<std::size_t>(courier.rank())], element_bytes, combine);
}

void gather_parts(Courier& courier, std::span<const std::span<std::byte>> parts, Rank root) {
  if (courier.rank() != root) courier.send(root, parts[static_cast<std::size_t>(courier.rank())]);
  courier.sync();
  for (Rank source = 0; courier.rank() == root && source < courier.size(); ++source) {
    if (source != root) courier.fetch(source, parts[static_cast<std::size_t>(source)]);
  }
}

void all_reduce_directly(Courier& courier, const Vector& values, const Combine& combine) {
  for (Rank to = 0; to < courier.size(); ++to) {
    if (to != courier.rank()) courier.send(to, values.bytes);
  }
  courier.sync();
  fold_arrivals(courier, values.bytes, values.element_bytes, combine);
}

/// Two neighbouring blocks of ranks, the second of which may be shorter: who of each serves whom of the
/// other.
struct Siblings {
  Rank left;
  Rank width;
  Rank right_ranks;

  Rank right() const { return left + width; }
  bool in_left(Rank rank) const { return rank < right(); }
  Rank source_of(Rank rank) const {
    return in_left(rank) ? right() + (rank - left) % right_ranks : rank - width;
  }
};

/// Every rank holds the combination of its block of `width` ranks, and gets that of the neighbouring one.
void all_reduce_by_doubling(Courier& courier, const Vector& values, const Combine& combine) {
  const Rank self = courier.rank();
  for (Rank width = 1; width < courier.size(); width *= 2) {
    const Rank left = self / (2 * width) * (2 * width);
    const Siblings siblings{left, width, std::min(width, courier.size() - left - width)};
    const bool merges = siblings.right_ranks > 0;
    for (Rank to = left; merges && to < siblings.right() + siblings.right_ranks; ++to) {
      if (siblings.in_left(to) != siblings.in_left(self) && siblings.source_of(to) == self)
        courier.send(to, values.bytes);
    }
    courier.sync();
    if (!merges || values.bytes.empty()) continue;
    const std::byte* const theirs = courier.from(siblings.source_of(self)).data();
    std::byte* const own = values.bytes.data();
    combine(siblings.in_left(self) ? own : theirs, siblings.in_left(self) ? theirs : own, own,
            values.count());
  }
}

}  // namespace

void reduce(World& world, const Vector& values, const Combine& combine, Rank root, Reduce how) {
  Courier courier(world, {kind_of(how), root, element_bytes_of(values), values.bytes.size(), combine.check});
  if (courier.size() == 1) return;
  if (how == Reduce::direct) return reduce_directly(courier, values, combine, root);
  if (how == Reduce::binomial_tree) return reduce_over_tree(courier, values, combine, root);
  const auto parts = parts_of(values, courier.size());
  reduce_scatter(courier, parts, values.element_bytes, combine);
  gather_parts(courier, parts, root);
}

void all_reduce(World& world, const Vector& values, const Combine& combine, AllReduce how) {
  Courier courier(world,
                  {kind_of(how), std::nullopt, element_bytes_of(values), values.bytes.size(), combine.check});
  if (courier.size() == 1) return;
  if (how == AllReduce::direct) return all_reduce_directly(courier, values, combine);
  if (how == AllReduce::recursive_doubling) return all_reduce_by_doubling(courier, values, combine);
  const auto parts = parts_of(values, courier.size());
  reduce_scatter(courier, parts, values.element_bytes, combine);
  all_gather_direct(courier, parts);
}

}  // namespace lbsp::collectives
