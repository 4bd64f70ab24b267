#include "transport/probe/size_search.hpp"

#include <algorithm>
#include <array>

#include "transport/probe/datagram.hpp"

namespace lbsp::transport::probe {
namespace {

constexpr std::uint32_t tries = 6;
constexpr int most_silent_steps = 3;

/// UDP payloads of the MTUs 576; 1280 of IPv6; 1420 of WireGuard; 1460 and 1480 of tunnels, or 1500 by IPv6;
/// 1492 of PPPoE; 1500 of Ethernet, and one byte more …
constexpr std::array<std::uint32_t, 8> usual{548, 1'232, 1'392, 1'432, 1'452, 1'464, 1'472, 1'473};
/// … and of larger ones: 4352 of FDDI, 9000 of jumbo frames by IPv6 and IPv4, and all that UDP has.
constexpr std::array<std::uint32_t, 5> jumbo{2'000, 4'324, 8'952, 8'972, most_packet};

}  // namespace

bool SizeSearch::over() const {
  if (steps_ >= most_steps || largest_ == most_packet) return true;
  if (largest_ == 0) return steps_ >= most_silent_steps;
  return lost_of(largest_ + 1) >= proof;
}

std::uint32_t SizeSearch::lost_of(std::uint32_t bytes) const {
  const auto found = lost_.find(bytes);
  return found == lost_.end() ? 0 : found->second;
}

/// From `least` up, below `end`.
std::vector<std::uint32_t> SizeSearch::between(std::uint32_t least, std::uint32_t end) const {
  std::vector<std::uint32_t> sizes;
  for (const std::uint32_t size : jumbo)
    if (size >= least && size < end && lost_of(size) == 0) sizes.push_back(size);
  constexpr std::uint32_t points = most_sizes_in_step - 2;
  if (!sizes.empty() || least >= end) return sizes;
  const std::uint32_t step = std::max<std::uint32_t>((end - least) / (points + 1), 1);
  for (std::uint32_t size = least + step - 1; size < end && sizes.size() < points; size += step)
    sizes.push_back(size);
  return sizes;
}

std::vector<SizeTrial> SizeSearch::next() const {
  std::vector<SizeTrial> trials;
  if (over()) return trials;
  if (largest_ == 0) {
    for (const std::uint32_t size : usual)
      trials.push_back({size, tries});
    return trials;
  }
  const std::uint32_t above = largest_ + 1;
  const std::uint32_t lost = lost_of(above);
  const std::uint32_t count = lost == 0 ? tries : proof - lost;
  trials.push_back({largest_, count});
  trials.push_back({above, count});
  if (lost > 0) return trials;
  const auto unlikely = lost_.upper_bound(above);
  for (const std::uint32_t size :
       between(above + 1, unlikely == lost_.end() ? most_packet + 1 : unlikely->first))
    trials.push_back({size, tries});
  return trials;
}

void SizeSearch::take(const std::vector<SizeTrial>& sent, const std::vector<std::uint32_t>& arrived) {
  ++steps_;
  const std::uint32_t before = largest_;
  bool known_arrived = before == 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (arrived[i] == 0) continue;
    largest_ = std::max(largest_, sent[i].bytes);
    known_arrived = known_arrived || sent[i].bytes <= before;
  }
  // When not even sizes arrived that fit, the path was down.
  if (known_arrived || largest_ > before) {
    for (std::size_t i = 0; i < sent.size(); ++i)
      if (arrived[i] == 0) lost_[sent[i].bytes] += sent[i].count;
  }
  lost_.erase(lost_.begin(), lost_.upper_bound(largest_));
}

}  // namespace lbsp::transport::probe
