#include "tools/launch/survival/spare_slots.hpp"

#include <algorithm>
#include <numeric>

namespace lbsp::launch::survival {
namespace {

constexpr int most_attempts = 5;
/// One less than of any losses without progress (LossLoop): the others go on without the rank, rather than end.
constexpr int most_times_silent_again = 3;

}  // namespace

SpareSlots::SpareSlots(const places::Placement& placement, std::chrono::steady_clock::duration soon)
    : soon_(soon) {
  for (const places::PlacedHost& host : placement.hosts)
    spares_.push_back(host.spares);
}

std::optional<std::size_t> SpareSlots::take(Rank rank, std::size_t host, Loss loss, Time now) {
  if (loss == Loss::host) lose(host);
  Place& place = places_[rank];
  if (place.attempts >= most_attempts) return std::nullopt;
  ++place.attempts;
  note_loss(place, loss, now);
  if (loss == Loss::process) return host;
  const auto kept = std::ranges::count_if(
      places_, [&](const auto& of) { return of.first != rank && failed_soon(of.second, now); });
  const bool may_stay = loss == Loss::silence && !is_given_up(place);
  if (const auto other = take_elsewhere(host, may_stay ? static_cast<int>(kept) : 0)) return other;
  if (!may_stay) return std::nullopt;
  place.where_silent = true;
  return host;
}

/// The last of those processes may say only later that it is lost: the rank stays given up.
void SpareSlots::note_loss(Place& place, Loss loss, Time now) {
  if (loss == Loss::silence && failed_soon(place, now)) {
    ++place.silent_again;
  } else if (loss == Loss::process || !is_given_up(place)) {
    place.silent_again = 0;
  }
  place.where_silent = false;
}

void SpareSlots::seated(Rank rank, Time now) {
  Place& place = places_[rank];
  place.attempts = 0;
  place.seated = now;
}

bool SpareSlots::failed_soon(const Place& place, Time now) const {
  return place.where_silent && place.seated && now - *place.seated < soon_;
}

bool SpareSlots::is_given_up(const Place& place) {
  return place.silent_again >= most_times_silent_again;
}

/// Of so many others the last ones are kept.
std::optional<std::size_t> SpareSlots::take_elsewhere(std::size_t host, int kept) {
  if (std::accumulate(spares_.begin(), spares_.end(), 0) <= kept) return std::nullopt;
  for (std::size_t other = 0; other < spares_.size(); ++other) {
    if (other == host || spares_[other] == 0) continue;
    --spares_[other];
    return other;
  }
  return std::nullopt;
}

}  // namespace lbsp::launch::survival
