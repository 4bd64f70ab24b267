#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/tuning/setting.hpp"
#include "tools/profile/profile.hpp"
#include "tools/tune/algorithm.hpp"

namespace lbsp::tune {

/// Hosts to choose from, and the network between them.
class Platform {
 public:
  Platform() = default;
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;
  virtual ~Platform() = default;

  /// The most nodes there are; none: as many as wished.
  virtual std::optional<double> most_nodes() const = 0;
  /// Operations a second of the slowest of n nodes; of the one that would be taken alone for n = 1.
  virtual double rate(double nodes) const = 0;
  /// Of n nodes, one for each packet size that may be chosen.
  virtual std::vector<model::tuning::PacketPath> paths(double nodes) const = 0;
  /// Which hosts n nodes are; none if they have no names.
  virtual std::vector<std::string> hosts(double nodes) const = 0;
  /// What makes its figures uncertain.
  virtual std::vector<std::string> warnings(double nodes) const = 0;
};

/// A network of which every pair is alike; any number of nodes.
struct UniformNetwork {
  double loss = 0;
  double round_trip = 0;
  double bandwidth = 0;  ///< bytes per second
};
std::unique_ptr<Platform> make_uniform_platform(const UniformNetwork& network, double rate);

/// A measured network, of which order_of_hosts() chooses the hosts. The slowest host and the worst path of those
/// chosen count, as a superstep waits for both. `rate`: of every host, instead of the measured ones. Throws
/// UsageError if it is needed and missing.
std::unique_ptr<Platform> make_measured_platform(const profile::Profile& profile, const Algorithm& algorithm,
                                                 std::optional<double> rate);

}  // namespace lbsp::tune
