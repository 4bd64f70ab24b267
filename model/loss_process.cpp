#include "model/loss_process.hpp"

#include <cmath>

#include "model/require.hpp"

namespace lbsp::model {
namespace {

double share_of_bad(const GilbertElliott& path) {
  const double both = path.to_bad + path.to_good;
  return both == 0 ? 0 : path.to_bad / both;
}

/// The states' memory of each other after `spacing` slots.
double memory(const GilbertElliott& path, double spacing) {
  const double one = 1 - path.to_bad - path.to_good;
  return one <= 0 ? (one == 0 || spacing == 0 ? std::pow(one, spacing) : std::pow(one, std::round(spacing)))
                  : std::pow(one, spacing);
}

}  // namespace

GilbertElliott GilbertElliott::from_burst(double loss, double mean_burst) {
  require_loss(loss);
  if (!(mean_burst >= 1) || !std::isfinite(mean_burst) || loss > mean_burst * (1 - loss))
    throw std::invalid_argument("bursts of " + std::to_string(mean_burst) +
                                " packets on average at a loss of " + std::to_string(loss) +
                                ": give 1 or more, and at least loss / (1 - loss)");
  const double to_good = 1 / mean_burst;
  return {to_good * loss / (1 - loss), to_good, 0, 1};
}

double GilbertElliott::loss() const {
  const double bad = share_of_bad(*this);
  return bad * bad_loss + (1 - bad) * good_loss;
}

double GilbertElliott::loss_after_loss(double spacing) const {
  const double once = loss();
  return once == 0 ? 0 : all_lost(2, spacing) / once;
}

double GilbertElliott::all_lost(int copies, double spacing) const {
  require_copies(copies);
  require_not_negative(spacing, "a spacing");
  const double share = share_of_bad(*this);
  const double kept = memory(*this, spacing);
  // Probability of: all copies so far lost, and the path in this state.
  double good = (1 - share) * good_loss;
  double bad = share * bad_loss;
  for (int copy = 1; copy < copies; ++copy) {
    const double all = good + bad;
    const double bad_then = share * all + kept * (bad - share * all);
    bad = bad_then * bad_loss;
    good = (all - bad_then) * good_loss;
  }
  return good + bad;
}

double all_copies_lost(double loss, double loss_after_loss, int copies) {
  require_loss(loss);
  require_loss(loss_after_loss);
  require_copies(copies);
  return loss * std::pow(loss_after_loss, copies - 1);
}

double equivalent_loss(double all_copies_lost, int copies) {
  require_loss(all_copies_lost);
  require_copies(copies);
  return std::pow(all_copies_lost, 1. / copies);
}

}  // namespace lbsp::model
