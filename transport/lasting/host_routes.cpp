#include "transport/lasting/host_routes.hpp"

#include <algorithm>

namespace lbsp::transport {

void HostRoutes::add(Station station) {
  const auto place = static_cast<std::size_t>(station);
  if (place >= bytes_.size()) bytes_.resize(place + 1, usual_);
}

void HostRoutes::forget(Station station) {
  refused_.erase(station);
  const auto place = static_cast<std::size_t>(station);
  if (place < bytes_.size()) bytes_[place] = usual_;
}

void HostRoutes::limit(Station to, std::size_t bytes) {
  add(to);
  std::size_t& known = bytes_[static_cast<std::size_t>(to)];
  known = std::min(known, bytes);
}

std::size_t HostRoutes::bytes(Station to) const {
  const auto place = static_cast<std::size_t>(to);
  return place < bytes_.size() ? bytes_[place] : usual_;
}

void HostRoutes::refuse(Station to, int error) {
  if (error != 0) {
    refused_[to] = error;
  } else {
    refused_.erase(to);
  }
}

HostRefusal HostRoutes::refusal(const ProcessNames& names) const {
  HostRefusal refusal;
  for (const auto& [station, error] : refused_) {
    const auto rank = names.rank_at(station);
    if (!rank) continue;
    if (refusal.to.empty()) refusal.error = error;
    refusal.to.push_back(names.slot(*rank));
  }
  return refusal;
}

}  // namespace lbsp::transport
