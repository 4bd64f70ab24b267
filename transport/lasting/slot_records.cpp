#include "transport/lasting/slot_records.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace lbsp::transport {
namespace {

/// What earlier epochs have shown of a path counts for so many datagrams of the next one.
constexpr double longest_memory = 1000;
/// Of a path of which nothing is known.
constexpr Duration usual_round_trip = std::chrono::milliseconds{100};
/// Where it is not known on which one a rank is.
constexpr std::uint16_t host_of_its_own = 0xffff;

/// `other`: of a slot that nothing is known of. Nothing if nothing is known of any.
template <class Value>
std::vector<Value> of_slots(const std::vector<Value>& by_slot, const std::vector<Slot>& slots,
                            const Value& other) {
  std::vector<Value> chosen;
  if (by_slot.empty()) return chosen;
  for (const Slot slot : slots) {
    const auto place = static_cast<std::size_t>(slot);
    chosen.push_back(place < by_slot.size() ? by_slot[place] : other);
  }
  return chosen;
}

}  // namespace

SlotRecords::SlotRecords(EndpointConfig& first)
    : places_(std::exchange(first.places, {})),
      hosts_(std::exchange(first.hosts, {})),
      priors_(std::exchange(first.priors, {})) {}

void SlotRecords::tell(EndpointConfig& config, const std::vector<Slot>& slots) const {
  config.places = of_slots(places_, slots, std::string("on a host that has joined"));
  config.priors = of_slots(priors_, slots, default_prior());
  config.hosts = of_slots(hosts_, slots, host_of_its_own);
}

void SlotRecords::have_room(std::size_t slots) {
  if (priors_.size() < slots) priors_.resize(slots, default_prior());
}

void SlotRecords::remember(Slot slot, PathForecast path) {
  have_room(static_cast<std::size_t>(slot) + 1);
  path.loss_sample = std::min(path.loss_sample, longest_memory);
  priors_[static_cast<std::size_t>(slot)] = path;
}

void SlotRecords::forget_path(Slot slot) {
  const auto place = static_cast<std::size_t>(slot);
  if (place < priors_.size()) priors_[place] = default_prior();
}

void SlotRecords::seat(const Seat& seat) {
  const auto place = static_cast<std::size_t>(seat.slot);
  if (hosts_.empty()) return;
  if (place >= hosts_.size()) return hosts_.resize(place + 1, seat.spare);
  if (hosts_[place] == seat.spare) return;
  hosts_[place] = seat.spare;
  forget_path(seat.slot);
  if (place < places_.size()) places_[place] = "on a spare host";
}

Duration SlotRecords::longest_round_trip() const {
  Duration longest{0};
  for (const PathForecast& prior : priors_)
    longest = std::max(longest, prior.round_trip);
  return longest == Duration{0} ? usual_round_trip : longest;
}

}  // namespace lbsp::transport
