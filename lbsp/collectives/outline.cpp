#include "lbsp/collectives/outline.hpp"

#include <algorithm>
#include <bit>

namespace lbsp {
namespace {

using Count = std::uint64_t;
using Outline = std::vector<SuperstepOutline>;

Count divide_up(Count total, Count parts) {
  return (total + parts - 1) / parts;
}

/// Every rank to every other.
SuperstepOutline all_to_all(Count bytes, Count p) {
  return {p * (p - 1), p - 1, bytes};
}

/// One rank to or from all others.
SuperstepOutline star(Count bytes, Count p) {
  return {p - 1, p - 1, bytes};
}

Outline tree(Count bytes, Count p) {
  Outline steps;
  for (Count senders = 1; senders < p; senders *= 2)
    steps.push_back({std::min(senders, p - senders), 1, bytes});
  return steps;
}

/// The pairs of neighbouring blocks of `width` ranks, the last of which may be shorter.
Outline merges(Count bytes, Count p) {
  Outline steps;
  for (Count width = 1; width < p; width *= 2)
    steps.push_back({divide_up(p - width, 2 * width), 1, bytes});
  return steps;
}

Outline ring(Count bytes, Count p) {
  return Outline(p - 1, SuperstepOutline{p, 1, bytes});
}

Outline bruck(Count bytes, Count p) {
  Outline steps;
  for (Count blocks = 1; blocks < p; blocks *= 2)
    steps.push_back({p, 1, std::min(blocks, p - blocks) * bytes});
  return steps;
}

Outline scatter_and_ring(Count bytes, Count p) {
  Outline steps;
  const Count part = divide_up(bytes, p);
  for (Count half = std::bit_ceil(p) / 2; half > 0; half /= 2)
    steps.push_back({divide_up(p - half, 2 * half), 1, std::min(half, p - half) * part});
  std::ranges::copy(ring(part, p), std::back_inserter(steps));
  return steps;
}

/// Everyone in a block needs the sum of the neighbouring one; where that is short, its ranks serve several.
Outline doubling(Count bytes, Count p) {
  Outline steps;
  for (Count width = 1; width < p; width *= 2) {
    SuperstepOutline step{0, 1, bytes};
    for (Count left = 0; left + width < p; left += 2 * width) {
      const Count right = std::min(width, p - left - width);
      step.messages += width + right;
      step.busiest = std::max(step.busiest, divide_up(width, right));
    }
    steps.push_back(step);
  }
  return steps;
}

/// The sums go to the right, and to the left where they are needed again.
Outline doubling_scan(Count bytes, Count p) {
  Outline steps;
  for (Count width = 1; width < p; width *= 2) {
    SuperstepOutline step{0, 1, bytes};
    for (Count left = 0; left + width < p; left += 2 * width) {
      step.messages += std::min(width, p - left - width);
      if (left + 2 * width < p) step.messages += width;
    }
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

Outline outline(Broadcast how, Count bytes, Rank ranks) {
  const auto p = static_cast<Count>(ranks);
  if (p == 1) return {};
  switch (how) {
    case Broadcast::direct:
      return {star(bytes, p)};
    case Broadcast::binomial_tree:
      return tree(bytes, p);
    case Broadcast::van_de_geijn:
      return scatter_and_ring(bytes, p);
    case Broadcast::two_phase:
      break;
  }
  return {star(divide_up(bytes, p), p), all_to_all(divide_up(bytes, p), p)};
}

Outline outline(AllGather how, Count bytes, Rank ranks) {
  const auto p = static_cast<Count>(ranks);
  if (p == 1) return {};
  switch (how) {
    case AllGather::direct:
      return {all_to_all(bytes, p)};
    case AllGather::ring:
      return ring(bytes, p);
    case AllGather::recursive_doubling:
    case AllGather::bruck:
      break;
  }
  return bruck(bytes, p);
}

Outline outline(Reduce how, Count bytes, Rank ranks) {
  const auto p = static_cast<Count>(ranks);
  if (p == 1) return {};
  switch (how) {
    case Reduce::direct:
      return {star(bytes, p)};
    case Reduce::binomial_tree:
      return merges(bytes, p);
    case Reduce::two_phase:
      break;
  }
  return {all_to_all(divide_up(bytes, p), p), star(divide_up(bytes, p), p)};
}

Outline outline(AllReduce how, Count bytes, Rank ranks) {
  const auto p = static_cast<Count>(ranks);
  if (p == 1) return {};
  switch (how) {
    case AllReduce::direct:
      return {all_to_all(bytes, p)};
    case AllReduce::recursive_doubling:
      return doubling(bytes, p);
    case AllReduce::two_phase:
      break;
  }
  return {all_to_all(divide_up(bytes, p), p), all_to_all(divide_up(bytes, p), p)};
}

Outline outline(Scan how, Count bytes, Rank ranks) {
  const auto p = static_cast<Count>(ranks);
  if (p == 1) return {};
  if (how == Scan::recursive_doubling) return doubling_scan(bytes, p);
  return {{p * (p - 1) / 2, p - 1, bytes}};
}

}  // namespace lbsp
