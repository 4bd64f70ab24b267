#include "transport/lasting/own_ways.hpp"

#include <utility>

namespace lbsp::transport {

void OwnWays::begin_epoch(Endpoint& endpoint, Rank self, Instant now) {
  endpoint_ = &endpoint;
  for (Rank rank = 0; rank < names_.size(); ++rank) {
    if (rank == self) continue;
    const Station station = names_.station_at(rank);
    routes_.add(station);
    endpoint_->routes().limit(rank, routes_.bytes(station));
  }
  for (const auto& [station, error] : routes_.refused())
    if (const auto rank = names_.rank_at(station)) endpoint_->routes().note_refusal(*rank, error, now);
}

void OwnWays::forget(const std::vector<Station>& stations) {
  for (const Station station : stations)
    routes_.forget(station);
}

void OwnWays::limit_route(Station to, std::size_t bytes) {
  routes_.limit(to, bytes);
  if (const auto rank = names_.rank_at(to)) endpoint_->routes().limit(*rank, bytes);
}

void OwnWays::limit_datagrams(Station to, std::size_t bytes, Instant now) {
  routes_.limit(to, bytes);
  if (const auto rank = names_.rank_at(to)) endpoint_->routes().lower(*rank, bytes, now);
}

std::size_t OwnWays::datagram_bytes(Station to) const {
  if (const auto rank = names_.rank_at(to)) return endpoint_->routes().datagram_bytes(*rank);
  return routes_.bytes(to);
}

std::vector<Station> OwnWays::take_doubtful() {
  std::vector<Station> doubtful = endpoint_->routes().take_doubtful();
  for (Station& station : doubtful)
    station = names_.station_at(station);
  return doubtful;
}

std::optional<std::uint32_t> OwnWays::ask_address(Station of, AddressChecks::Elsewhere where, Instant now) {
  const auto rank = names_.rank_at(of);
  return rank ? endpoint_->addresses().ask(*rank, where, now) : std::nullopt;
}

void OwnWays::rest_address(Station of) {
  if (const auto rank = names_.rank_at(of)) endpoint_->addresses().rest(*rank);
}

std::vector<AddressAnswer> OwnWays::take_address_answers() {
  std::vector<AddressAnswer> shown = std::exchange(shown_, {});
  for (const AddressAnswer& answer : endpoint_->addresses().take_answers())
    shown.push_back({names_.station_at(answer.who), answer.question});
  return shown;
}

void OwnWays::note_host_refusal(Station to, int error, Instant now) {
  routes_.refuse(to, error);
  const auto rank = names_.rank_at(to);
  if (!rank) return;
  endpoint_->routes().note_refusal(*rank, error, now);
  if (membership_ != nullptr) membership_->agreement().refused(names_.slot(*rank), error != 0);
}

}  // namespace lbsp::transport
