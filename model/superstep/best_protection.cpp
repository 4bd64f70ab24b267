#include "model/superstep/best_protection.hpp"

#include <algorithm>
#include <cmath>

#include "model/mathematics/special_functions.hpp"
#include "model/superstep/rounding.hpp"

namespace lbsp::model::superstep {
namespace {

/// A path may fail this much more often than the others before it gets more redundancy than they.
constexpr double tolerated = 1.5;

double block_fails(int segments, int coded, double loss, const Protocol& protocol) {
  const int size = Blocks(segments, protocol.limits.block_segments).longest();
  return mathematics::binomial_more_than(size + coded, loss, coded);
}

}  // namespace

Protection Choice::adapted(int segments, const Path& path, const Protocol& protocol) const {
  const std::size_t place = kind_of(superstep_, segments);
  const Messages& like = superstep_.messages[place];
  const Path& usual = superstep_.path;
  const double loss = path.loss;
  const double again = path.lost_again();
  Protection fit = protection_[place];
  if (fit.first_protected > 0)
    fit.first_protected = std::max(0, segments - (like.segments - fit.first_protected));
  const bool is_usual = loss == usual.loss && again == usual.lost_again();
  if (fit.repair_segments > 0 && !(is_usual && segments == like.segments)) {
    const double target = tolerated * block_fails(like.segments, fit.repair_segments, usual.loss, protocol);
    int& coded = fit.repair_segments;
    while (coded > 0 && block_fails(segments, coded - 1, loss, protocol) <= target)
      --coded;
    while (coded < protocol.limits.repair_segments && block_fails(segments, coded, loss, protocol) > target)
      ++coded;
  } else if (fit.repair_segments == 0 && !is_usual) {
    const double target = tolerated * usual.loss * std::pow(usual.lost_again(), fit.copies - 1);
    int copies = 1;
    for (double fails = loss; copies < protocol.limits.copies && fails > target; fails *= again)
      ++copies;
    // A long message that is not worth a copy is not worth it on any path.
    if (fit.copies > 1 || segments == 1) fit.copies = copies;
  }
  const Protection& usually = protection_[place];
  if (usually.without_spares > 0)
    fit.without_spares = fit.repair_segments * usually.without_spares / usually.repair_segments;
  return fit;
}

std::vector<Protection> best_protection(const Superstep& superstep, const Means& means,
                                        const Protocol& protocol) {
  const Superstep known = rounded(superstep);
  const Choice choice(coarse(known), means, protocol);
  std::vector<Protection> best;
  for (const Messages& each : superstep.messages)
    best.push_back(choice.adapted(each.segments, known.path, protocol));
  return best;
}

}  // namespace lbsp::model::superstep
