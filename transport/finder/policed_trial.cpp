#include "transport/finder/policed_trial.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport {
namespace {

/// Of what a lower rate saves if nobody else floods the link: if it saves less than this, or no more than chance does,
/// it is not to blame.
constexpr double part_saved = 0.25;
constexpr double certainty_of_gain = 2;
constexpr double certainty_of_gain_of_few = 3;  ///< epochs

}  // namespace

/// Where others flood the link, too, it saves less than what it would alone.
bool PolicedTrial::helps(BytesPerSecond rate, const LossMean& seen, double own_loss, bool proven,
                         bool enough) const {
  const double fallen = 1 - rate.value / before.value;
  const double alone = std::min(at_rate.loss - own_loss, fallen * (1 - at_rate.loss));
  const double least = part_saved * alone;
  const double gain = at_rate.loss - seen.loss;
  if (proven && enough) return gain > least;
  const double certainty = enough ? certainty_of_gain : certainty_of_gain_of_few;
  return gain > std::max(least, certainty * std::hypot(at_rate.least_error(), seen.least_error()));
}

}  // namespace lbsp::transport
