#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "tools/check/knock.hpp"

namespace lbsp::check {

/// UDP payloads that paths carry or do not: what every path carries, and what fits into a link of 576 bytes, into one
/// of 1280, into WireGuard on an Ethernet, and into an Ethernet, with IPv4.
inline constexpr std::uint16_t knock_sizes[] = {least_knock_bytes, 548, 1200, 1252, 1392, 1472};
inline constexpr std::uint16_t full_knock_bytes = 1472;  ///< on an Ethernet, with IPv4 …
inline constexpr std::uint16_t full_knock_bytes_ipv6 =
    1452;  ///< … and with IPv6, whose header has 20 bytes more
/// The longest that is sent to this address, which is a number.
inline std::uint16_t full_knock_to(std::string_view address) {
  return address.find(':') == std::string_view::npos ? full_knock_bytes : full_knock_bytes_ipv6;
}

inline constexpr int most_knock_rounds = 10;

/// Which knocks one host sends to another, in rounds: each of knock_sizes until it is answered, the longest cut to
/// what an Ethernet carries there. From the fourth round
/// on, if some are not, so many sizes between the largest that is answered and the next, each twice: they narrow down
/// what the path carries to a byte or two, though a tenth of all knocks is lost.
class KnockSizes {
 public:
  static constexpr int between = 8;

  explicit KnockSizes(std::uint16_t full = full_knock_bytes) : full_(full) {}

  /// Those that the next round sends; none: all are answered, or it is time to stop.
  std::vector<std::uint16_t> begin_round();
  void answered(std::uint16_t size) { answered_.insert(size); }
  bool is_answered(std::uint16_t size) const { return answered_.contains(size); }
  const std::set<std::uint16_t>& all_answered() const { return answered_; }

 private:
  void choose_between();
  std::uint16_t usual(std::uint16_t size) const { return std::min(size, full_); }

  std::uint16_t full_;
  std::set<std::uint16_t> answered_;
  std::set<std::uint16_t> tried_;    ///< in a round that is over
  std::vector<std::uint16_t> more_;  ///< beside knock_sizes
  int rounds_ = 0;
};

}  // namespace lbsp::check
