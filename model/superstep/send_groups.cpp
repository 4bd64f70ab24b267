#include "model/superstep/send_groups.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace lbsp::model::superstep {
namespace {

constexpr double fewest_groups = 4;
constexpr double most_groups = 24;

/// Cuts `count` neighbours into groups, from the end: 1, 2, 4, … up to `largest`.
std::vector<double> sizes_from_the_end(double count, double largest) {
  std::vector<double> sizes;
  for (double size = 1, left = count; left > 1e-9; size = std::min(2 * size, largest)) {
    const double taken = left < 1.5 * size ? left : size;
    sizes.push_back(taken);
    left -= taken;
  }
  return sizes;
}

/// How many of a kind's segments or blocks, `count` in all, may be one group.
double largest_group(const ProtectedMessages& kind, double count, double longest) {
  return std::max(1., count / std::clamp(kind.seconds() / longest, fewest_groups, most_groups));
}

void append_segments(std::vector<SendGroup>& groups, const ProtectedMessages& kind, int index, double ranks,
                     double longest) {
  const double count = kind.per_rank * kind.segments;
  const auto sizes = sizes_from_the_end(count, largest_group(kind, count, longest));
  double place = 0;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    SendGroup group;
    group.kind = index;
    group.parts = *size;
    group.weight = *size * ranks;
    const double middle = place + std::max(0., (*size - 1) / 2);
    group.turn = std::min(static_cast<int>(middle / kind.per_rank + 1e-9), kind.segments - 1);
    group.peers_before =
        *size > kind.per_rank ? kind.per_rank / 2 : std::max(0., middle - group.turn * kind.per_rank);
    group.is_protected = group.turn >= kind.first_protected;
    place += *size;
    groups.push_back(std::move(group));
  }
}

/// Some blocks of all messages: each block's segments end in the same turn.
SendGroup group_of_blocks(const Blocks& blocks, int first, int end, const ProtectedMessages& kind) {
  SendGroup group;
  group.blocks = end - first;
  group.parts = kind.per_rank * group.blocks;
  group.turn = (blocks.begin(first + 1) + blocks.begin(end)) / 2 - 1;
  group.peers_before = kind.per_rank / 2;
  group.block_segments = 1. * (blocks.begin(end) - blocks.begin(first)) / group.blocks;
  group.is_protected = blocks.begin(first) >= kind.first_protected;
  return group;
}

void append_blocks(std::vector<SendGroup>& groups, const ProtectedMessages& kind, int index, double ranks,
                   double longest, const Protocol& protocol, BlockOutcomes& outcomes) {
  const Blocks blocks(kind.segments, protocol.limits.block_segments);
  const int first_protected =
      *std::ranges::partition_point(std::views::iota(0, blocks.count()),
                                    [&](int block) { return blocks.begin(block) < kind.first_protected; });
  const auto append = [&](int first, int end) {
    if (first >= end) return;
    SendGroup group = group_of_blocks(blocks, first, end, kind);
    group.kind = index;
    group.weight = group.parts * ranks;
    const int coded = group.is_protected ? kind.repair_segments : 0;
    group.outcome = &outcomes.of(static_cast<int>(std::lround(group.block_segments)), coded);
    groups.push_back(std::move(group));
  };
  const auto sizes =
      sizes_from_the_end(blocks.count(), std::floor(largest_group(kind, blocks.count(), longest)));
  int first = 0;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    const int end = first + static_cast<int>(*size);
    const int middle = std::clamp(first_protected, first, end);
    append(first, middle);
    append(middle, end);
    first = end;
  }
}

}  // namespace

double SendGroup::arrived_since(double sent) const {
  double share = 0;
  for (const Pass& pass : passes)
    share += pass.sent > sent ? pass.arrived : 0;
  return share;
}

LostPart SendGroup::as_lost_part(const ProtectedMessages& of, double loss) const {
  const auto times = static_cast<double>(passes.size());
  return {.sent = passes.back().sent,
          .first_sent = first_sent,
          .between = of.per_rank * of.segment_seconds,
          .later = of.segments - 1 - turn,
          .before = (times - 1) * of.segments + turn,
          .nothing = std::pow(loss, times * (of.segments - 1)),
          .probed = turn == of.segments - 1 || turn == 0};
}

void append_send_groups(std::vector<SendGroup>& groups, const ProtectedMessages& kind, int index,
                        double ranks, const Path& path, const Protocol& protocol, BlockOutcomes& outcomes) {
  const double longest = std::max(path.round_trip / 8, 1e-9);
  if (kind.is_coded()) {
    append_blocks(groups, kind, index, ranks, longest, protocol, outcomes);
  } else {
    append_segments(groups, kind, index, ranks, longest);
  }
}

}  // namespace lbsp::model::superstep
