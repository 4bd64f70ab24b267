#include "transport/membership/callers.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace lbsp::transport {

Callers::Callers(const JobKey& job_key, Slot self, Slot size, Cipher cipher)
    : job_key_(job_key), self_(self), size_(size), cipher_(cipher), by_slot_(static_cast<std::size_t>(size)) {
  std::iota(by_slot_.begin(), by_slot_.end(), Station{0});
}

Station Callers::station_of(const Incarnation& incarnation) const {
  const auto known =
      std::ranges::find(callers_, incarnation, [](const Caller& caller) { return caller.seat.incarnation; });
  return size_ + static_cast<Station>(known - callers_.begin());
}

/// The decision says so, whoever has to be forgotten for it.
Station Callers::add(const Seat& seat) {
  const Station station = station_of(seat.incarnation);
  if (station < size_ + static_cast<Station>(callers_.size())) return station;
  return *enter(
      {.seat = seat, .channel = DoorChannel(job_key_, self_, seat, cipher_), .knocked = std::nullopt},
      Instant::max());
}

std::optional<Station> Callers::enter(Caller caller, Instant since) {
  if (callers_.size() < static_cast<std::size_t>(most)) {
    callers_.push_back(std::move(caller));
    return size_ + static_cast<Station>(callers_.size()) - 1;
  }
  std::optional<std::size_t> longest;
  for (std::size_t place = 0; place < callers_.size(); ++place)
    if (may_be_forgotten(place) && (!longest || callers_[place].knocked < callers_[*longest].knocked))
      longest = place;
  if (!longest || callers_[*longest].knocked >= since) return std::nullopt;
  forget(callers_[*longest].seat.incarnation);
  callers_[*longest] = std::move(caller);
  reused_.push_back(size_ + static_cast<Station>(*longest));
  return reused_.back();
}

/// Whoever is addressed still.
bool Callers::may_be_forgotten(std::size_t place) const {
  const Station station = size_ + static_cast<Station>(place);
  const auto has = [station](const auto& stations) {
    return std::ranges::find(stations, station) != stations.end();
  };
  return !has(by_slot_) && !has(before_) && !has(to_tell_) && !is_told(callers_[place]);
}

void Callers::forget(const Incarnation& incarnation) {
  forgotten_.push_back(incarnation);
  if (forgotten_.size() > most_forgotten) forgotten_.pop_front();
}

std::optional<Station> Callers::take(std::span<std::byte> datagram, Instant now) {
  auto seat = seat_in_knock(datagram);
  if (!seat || seat->slot >= size_ || seat->slot == self_) return std::nullopt;
  const Station known = station_of(seat->incarnation);
  if (known < size_ + static_cast<Station>(callers_.size())) {
    Caller& caller = of(known);
    if (caller.seat.slot != seat->slot || !caller.channel.read(datagram)) return std::nullopt;
    caller.knocked = now;
    if (is_told(caller)) {
      by_slot_[static_cast<std::size_t>(seat->slot)] = known;
      if (std::ranges::find(to_tell_, known) == to_tell_.end()) to_tell_.push_back(known);
    }
    return known;
  }
  DoorChannel channel(job_key_, self_, *seat, cipher_);
  const auto host = channel.read(datagram);
  if (!host || std::ranges::find(forgotten_, seat->incarnation) != forgotten_.end()) return std::nullopt;
  seat->spare = *host;
  return enter({.seat = *seat, .channel = std::move(channel), .knocked = now}, now - longest_silence);
}

std::vector<Seat> Callers::seats_for(const MemberSet& lost, Instant since) const {
  std::map<Slot, const Caller*> last;
  for (const Caller& caller : callers_) {
    if (caller.seated || !caller.knocked || *caller.knocked < since || !lost.has(caller.seat.slot)) continue;
    const Caller*& of_slot = last[caller.seat.slot];
    if (of_slot == nullptr || *caller.knocked >= *of_slot->knocked) of_slot = &caller;
  }
  std::vector<Seat> seats;
  for (const auto& [slot, caller] : last)
    seats.push_back(caller->seat);
  return seats;
}

bool Callers::is_told(const Caller& caller) const {
  return letter_ && std::ranges::find(letter_->value.seats, caller.seat) != letter_->value.seats.end();
}

void Callers::seat(Letter letter) {
  letter_ = std::move(letter);
  to_tell_.clear();
  before_ = by_slot_;
  for (const Seat& seat : letter_->value.seats) {
    const Station station = add(seat);
    Caller& caller = of(station);
    caller.seated = true;
    by_slot_[static_cast<std::size_t>(seat.slot)] = caller.knocked ? station : Station{seat.slot};
    to_tell_.push_back(station);
  }
}

std::optional<Slot> Callers::slot_of(Station station) const {
  const auto found = std::ranges::find(by_slot_, station);
  if (found == by_slot_.end()) return std::nullopt;
  return static_cast<Slot>(found - by_slot_.begin());
}

std::optional<std::pair<Station, std::size_t>> Callers::poll_letter(std::span<std::byte> buffer) {
  if (to_tell_.empty()) return std::nullopt;
  const Station to = to_tell_.front();
  to_tell_.pop_front();
  return std::pair{to, of(to).channel.write(*letter_, buffer)};
}

}  // namespace lbsp::transport
