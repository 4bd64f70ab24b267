#include "transport/finder/policed_sharing.hpp"

#include <algorithm>

namespace lbsp::transport {
namespace {

constexpr double part_to_begin_from = 0.25;
constexpr double sharing_step_up = 1.25;
/// Others are there, so no more than half is this rank's.
constexpr double part_of_two = (1 - PolicedSharing::room) / 2;

/// Of the most, with each epoch of one who has all; the growth of one who has little is bounded, too.
constexpr double growth_beside_others = 0.0025;
constexpr double most_growth_beside_others = 0.06;
constexpr double quiet_before_growth = 4;
/// Epochs of one who has all. If so many were quiet, the link has more: then the growth grows, too.
constexpr double quiet_of_others = 16;

/// A flood lasts until its last one has fallen; where others come every few seconds it may become more meanwhile.
constexpr int least_epochs_of_flood = 8;
constexpr int most_epochs_of_flood = 16;
constexpr double certainty_of_more = 2.5;

}  // namespace

/// A link that has become slower carries no more than what came through.
std::optional<BytesPerSecond> PolicedSharing::begin(BytesPerSecond rate, double excess, BytesPerSecond most) {
  const BytesPerSecond low{std::min(part_to_begin_from * most.value, rate.value * (1 - excess - room))};
  if (excess < flood || rate.value <= part_to_begin_from * most.value || low.value <= 0) return std::nullopt;
  return low;
}

std::optional<BytesPerSecond> PolicedSharing::step(BytesPerSecond rate, BytesPerSecond most) {
  const double half = part_of_two * most.value;
  if (rate.value >= half) return std::nullopt;
  return BytesPerSecond{std::min(sharing_step_up * rate.value, half)};
}

std::optional<BytesPerSecond> PolicedSharing::grow(BytesPerSecond rate, std::size_t quiet_epochs,
                                                   BytesPerSecond most) {
  const double lower = std::max(most.value / rate.value, 1.0);
  const double quiet = static_cast<double>(quiet_epochs) * lower;
  if (quiet < quiet_before_growth) return std::nullopt;
  const double growth = growth_beside_others * lower * lower * std::max(quiet / quiet_of_others, 1.0);
  return BytesPerSecond{rate.value * (1 + std::min(growth, most_growth_beside_others))};
}

/// Where it is not known what the path loses, hardly anything may be lost: else all of that would count as the rate's
/// from then on.
FloodWait::Verdict FloodWait::add(const RecentLoss& recent, const PathLoss& own) {
  const bool less = own.known() ? !own.exceeded_by(recent.last(), certainty_of_more)
                                : recent.newest().loss < PathLoss::least_excess;
  if (less) return Verdict::over;
  const bool same = ++epochs_ >= least_epochs_of_flood && recent.full() && recent.alike();
  return same || epochs_ >= most_epochs_of_flood ? Verdict::remains : Verdict::open;
}

}  // namespace lbsp::transport
