#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "transport/impairment/link.hpp"
#include "transport/impairment/wan_spec.hpp"

namespace lbsp::wan::network {

/// What lies between every ordered pair of hosts. A host has one uplink, whose rate is the largest of its
/// row; a destination with a smaller one has a bottleneck of its own behind it.
class PairSpecs {
 public:
  /// The same between all.
  PairSpecs(int hosts, const transport::WanSpec& spec)
      : hosts_(hosts), specs_(static_cast<std::size_t>(hosts) * static_cast<std::size_t>(hosts), spec) {}

  int hosts() const { return hosts_; }
  transport::WanSpec& at(int from, int to) { return specs_[place(from, to)]; }
  const transport::WanSpec& at(int from, int to) const { return specs_[place(from, to)]; }

  /// The uplink that all destinations of a host share: rate and queue. What a host would send itself does not
  /// count.
  transport::WanSpec uplink(int from) const;
  /// The downlink that all who send to a host share: none if one of them says none, else the widest.
  std::optional<transport::Uplink> downlink(int to) const;
  /// The longest packet that hosts' devices must carry: 1500 bytes, or the largest `mtu` if that is more.
  std::size_t device_mtu() const;

 private:
  std::size_t place(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(hosts_) + static_cast<std::size_t>(to);
  }

  int hosts_;
  std::vector<transport::WanSpec> specs_;
};

/// What lies between all hosts, and what differs from pair to pair.
std::string in_words(const PairSpecs& specs);

/// As many hosts as a bed may have: their addresses fit 198.18.0.0/24.
inline constexpr int most_hosts = 250;

}  // namespace lbsp::wan::network
