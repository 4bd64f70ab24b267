#include "model/superstep/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "model/mathematics/special_functions.hpp"

namespace lbsp::model::superstep {
namespace {

constexpr std::size_t usual_groups = 8;
constexpr double fewest_groups = 4;
constexpr double most_groups = 24;

/// Cuts `count` neighbours into groups, from the end: 1, 2, 4, … up to `largest`. Returns them from the begin.
std::vector<double> sizes_to_the_end(double count, double largest) {
  std::vector<double> sizes;
  for (double size = 1, left = count; left > 1e-9; size = std::min(2 * size, largest)) {
    sizes.push_back(left < 1.5 * size ? left : size);
    left -= sizes.back();
  }
  std::ranges::reverse(sizes);
  return sizes;
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

double burst_of(std::span<const Messages> kinds, const Protocol& protocol) {
  double longest = 0;
  for (const Messages& kind : kinds)
    longest = std::max(longest, kind.segment_seconds);
  const Timing& timing = protocol.timing;
  return std::max(timing.idle_burst, std::min(timing.least_burst_datagrams * longest, timing.longest_burst));
}

Schedule::Schedule(const Superstep& of, std::span<const Protection> protection, const Protocol& by,
                   BlockOutcomes& known)
    : path(of.path),
      protocol(by),
      again(of.path.lost_again()),
      outcomes(known),
      link(burst_of(of.messages, by)),
      completion(std::max({of.path.round_trip / 64, of.seconds() / 256, 1e-7})) {
  kinds.reserve(of.messages.size());
  groups.reserve(usual_groups * of.messages.size());
  for (std::size_t i = 0; i < of.messages.size(); ++i) {
    kinds.push_back({of.messages[i], protection[i]});
    const auto kind = static_cast<int>(i);
    kinds[i].is_coded() ? append_blocks(kind, of.ranks) : append_segments(kind, of.ranks);
  }
}

/// How many of a kind's segments or blocks, `count` in all, may be one group.
double Schedule::largest_group(const ProtectedMessages& kind, double count) const {
  const double longest = std::max(path.round_trip / 8, 1e-9);
  return std::max(1., count / std::clamp(kind.seconds() / longest, fewest_groups, most_groups));
}

void Schedule::append_segments(int index, double ranks) {
  const ProtectedMessages& kind = kinds.back();
  const double count = kind.per_rank * kind.segments;
  planned_seconds += kind.per_rank * (1. * kind.segments * kind.copies) * kind.segment_seconds;
  double place = 0;
  for (const double size : sizes_to_the_end(count, largest_group(kind, count))) {
    SendGroup group;
    group.kind = index;
    group.parts = size;
    group.weight = size * ranks;
    const double middle = place + std::max(0., (size - 1) / 2);
    group.turn = std::min(static_cast<int>(middle / kind.per_rank + 1e-9), kind.segments - 1);
    group.peers_before =
        size > kind.per_rank ? kind.per_rank / 2 : std::max(0., middle - group.turn * kind.per_rank);
    group.is_protected = group.turn >= kind.first_protected;
    place += size;
    groups.push_back(std::move(group));
  }
}

void Schedule::append_blocks(int index, double ranks) {
  const ProtectedMessages& kind = kinds.back();
  const Blocks cut(kind.segments, protocol.limits.block_segments);
  planned_seconds +=
      kind.per_rank * (kind.segments + 1. * cut.count() * kind.repair_segments) * kind.segment_seconds;
  const int first_protected = *std::ranges::partition_point(
      std::views::iota(0, cut.count()), [&](int block) { return cut.begin(block) < kind.first_protected; });
  const auto append = [&](int first, int end) {
    if (first >= end) return;
    SendGroup group = group_of_blocks(cut, first, end, kind);
    group.kind = index;
    group.weight = group.parts * ranks;
    blocks += group.weight;
    const int coded = group.is_protected ? kind.repair_segments : 0;
    group.outcome = &outcomes.of(static_cast<int>(std::lround(group.block_segments)), coded);
    groups.push_back(std::move(group));
  };
  int first = 0;
  for (const double size : sizes_to_the_end(cut.count(), std::floor(largest_group(kind, cut.count())))) {
    const int end = first + static_cast<int>(size);
    const int middle = std::clamp(first_protected, first, end);
    append(first, middle);
    append(middle, end);
    first = end;
  }
}

void Schedule::arrive(SendGroup& arrived, double share, double time) {
  const bool first = arrived.missing >= 1;
  arrived.missing = std::max(0., arrived.missing - share);
  if (arrived.missing >= 1) return;
  if (!first && arrived.weight * arrived.missing > -log_of_nothing) return;  // F is still 0
  const double log_complete = arrived.weight * mathematics::log_of_rest(arrived.missing);
  if (first) {
    completion.begin(time);
  } else {
    completion.add(time, log_complete - arrived.log_complete);
  }
  arrived.log_complete = log_complete;
}

}  // namespace lbsp::model::superstep
