#include "lbsp/collectives/scan.hpp"

#include <optional>

#include "lbsp/collectives/courier.hpp"
#include "lbsp/collectives/kinds.hpp"
#include "lbsp/collectives/tree_fold.hpp"
#include "transport/bytes.hpp"

namespace lbsp::collectives {
namespace {

/// Combines the contributions of ranks 0 … last; `own` is this rank's.
void fold_up_to(const Courier& courier, Rank last, std::span<const std::byte> own, std::size_t element_bytes,
                const Combine& combine, std::span<std::byte> into) {
  TreeFold fold(combine, element_bytes);
  for (Rank source = 0; source <= last; ++source)
    fold.add(source == courier.rank() ? own : courier.from(source));
  fold.finish(into);
}

void scan_directly(Courier& courier, const Vector& values, std::span<std::byte> before,
                   const Combine& combine) {
  for (Rank to = courier.rank() + 1; to < courier.size(); ++to)
    courier.send(to, values.bytes);
  courier.sync();
  if (values.bytes.empty()) return;
  const Rank self = courier.rank();
  if (!before.empty() && self > 0)
    fold_up_to(courier, self - 1, values.bytes, values.element_bytes, combine, before);
  fold_up_to(courier, self, values.bytes, values.element_bytes, combine, values.bytes);
}

/// Every rank knows the combination of its block of `width` ranks, and that of the ranks of it up to itself.
/// The left block's goes to all on the right, and back where it is needed again: not in the last block.
void scan_by_doubling(Courier& courier, const Vector& values, std::span<std::byte> before,
                      const Combine& combine) {
  const Rank self = courier.rank();
  const std::size_t count = values.count();
  Bytes total(values.bytes.begin(), values.bytes.end());
  bool has_before = false;
  for (Rank width = 1; width < courier.size(); width *= 2) {
    const Rank partner = self ^ width;
    const Rank next_block = (self / (2 * width) + 1) * (2 * width);
    const bool on_the_right = partner < self;
    const bool needed_again = next_block < courier.size();
    if (partner < courier.size() && (needed_again || !on_the_right)) courier.send(partner, total);
    courier.sync();
    const std::span<const std::byte> theirs =
        partner < courier.size() ? courier.from(partner) : std::span<const std::byte>{};
    if (theirs.empty()) continue;
    if (on_the_right) {
      if (!before.empty() && has_before) {
        combine(theirs.data(), before.data(), before.data(), count);
      } else if (!before.empty()) {
        std::ranges::copy(theirs, before.begin());
      }
      has_before = true;
      combine(theirs.data(), values.bytes.data(), values.bytes.data(), count);
      combine(theirs.data(), total.data(), total.data(), count);
    } else {
      combine(total.data(), theirs.data(), total.data(), count);
    }
  }
}

}  // namespace

void scan(World& world, const Vector& values, std::span<std::byte> before, const Combine& combine, Scan how) {
  // Whether it is inclusive is a matter of the caller alone: the same is sent.
  Courier courier(world,
                  {kind_of(how), std::nullopt, element_bytes_of(values), values.bytes.size(), combine.check});
  if (courier.size() == 1) return;
  if (how == Scan::direct) return scan_directly(courier, values, before, combine);
  scan_by_doubling(courier, values, before, combine);
}

}  // namespace lbsp::collectives
