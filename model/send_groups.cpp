#include "model/send_groups.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::model {
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

void append_segments(std::vector<SendGroup>& groups, const MessageKind& kind, int index, double ranks,
                     double longest) {
  const double count = kind.per_rank * kind.segments;
  const double wanted = std::clamp(count * kind.segment_seconds / longest, fewest_groups, most_groups);
  const auto sizes = sizes_from_the_end(count, std::max(1., count / wanted));
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

/// A group for each block, of all messages: their blocks end in the same turn.
void append_blocks(std::vector<SendGroup>& groups, const MessageKind& kind, int index, double ranks,
                   const ProtocolConstants& constants, BlockOutcomes& outcomes) {
  const int blocks = (kind.segments - 1) / constants.longest_block + 1;
  for (int block = 0, begin = 0; block < blocks; ++block) {
    const int size = kind.segments / blocks + (block < kind.segments % blocks ? 1 : 0);
    SendGroup group;
    group.kind = index;
    group.parts = kind.per_rank;
    group.weight = kind.per_rank * ranks;
    group.turn = begin + size - 1;
    group.peers_before = kind.per_rank / 2;
    group.block_segments = size;
    group.is_protected = begin >= kind.first_protected;
    const int coded = group.is_protected ? kind.repair_segments : 0;
    group.outcome = &outcomes.of(size, coded);
    begin += size;
    groups.push_back(std::move(group));
  }
}

}  // namespace

double dispersion_of(const LossyPath& path) {
  const double runs = path.loss_after_loss > path.loss ? (1 - path.loss) / (1 - path.loss_after_loss) : 1;
  // Runs of losses of this mean length make the number lost vary that much more (a Markov chain's variance).
  return std::max(1., 2 * runs - 1);
}

double SendGroup::arrived_since(double sent) const {
  double share = 0;
  for (const Pass& pass : passes)
    share += pass.sent > sent ? pass.arrived : 0;
  return share;
}

LostPart SendGroup::as_lost_part(const MessageKind& of, double loss) const {
  LostPart part;
  const auto times = static_cast<double>(passes.size());
  part.sent = passes.back().sent;
  part.first_sent = first_sent;
  part.between = of.per_rank * of.segment_seconds;
  part.later = of.segments - 1 - turn;
  part.before = (times - 1) * of.segments + turn;
  part.nothing = std::pow(loss, times * (of.segments - 1));
  part.probed = part.later == 0 || turn == 0;
  return part;
}

void append_send_groups(std::vector<SendGroup>& groups, const MessageKind& kind, int index, double ranks,
                        const LossyPath& path, const ProtocolConstants& constants, BlockOutcomes& outcomes) {
  if (is_coded(kind)) {
    append_blocks(groups, kind, index, ranks, constants, outcomes);
  } else {
    append_segments(groups, kind, index, ranks, std::max(path.round_trip / 8, 1e-9));
  }
}

}  // namespace lbsp::model
