#include "tools/launch/survival/spare_slots.hpp"

#include <algorithm>

namespace lbsp::launch::survival {
namespace {

constexpr int most_attempts = 5;

}  // namespace

SpareSlots::SpareSlots(const places::Placement& placement) {
  for (const places::PlacedHost& host : placement.hosts)
    spares_.push_back(host.spares);
}

std::optional<std::size_t> SpareSlots::take(Rank rank, std::size_t host, Loss loss) {
  if (loss == Loss::host) lose(host);
  if (attempts_[rank] >= most_attempts) return std::nullopt;
  ++attempts_[rank];
  if (loss == Loss::process) return host;
  for (std::size_t other = 0; other < spares_.size(); ++other) {
    if (other == host || spares_[other] == 0) continue;
    --spares_[other];
    return other;
  }
  if (loss == Loss::host) return std::nullopt;
  return host;
}

}  // namespace lbsp::launch::survival
