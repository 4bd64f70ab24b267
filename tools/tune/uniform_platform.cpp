#include <fmt/format.h>

#include "tools/tune/platform.hpp"

namespace lbsp::tune {
namespace {

/// Nothing larger: whether the path takes that whole nobody has said, and lbsp sends no fragments.
constexpr double packet_sizes[] = {512, 1024, 1400};

class UniformPlatform final : public Platform {
 public:
  UniformPlatform(const UniformNetwork& network, double rate) : rate_(rate) {
    for (const double size : packet_sizes) {
      paths_.push_back({.packet_bytes = size,
                        .bandwidth = network.bandwidth,
                        .path = {.round_trip = network.round_trip, .loss = network.loss}});
    }
  }

  std::optional<double> most_nodes() const override { return std::nullopt; }
  double rate(double) const override { return rate_; }
  std::vector<model::tuning::PacketPath> paths(double) const override { return paths_; }
  std::vector<std::string> hosts(double) const override { return {}; }
  std::vector<std::string> warnings(double nodes) const override {
    constexpr int most_ranks = 65535;  // of lbsp run -n
    if (nodes <= most_ranks) return {};
    return {fmt::format("a job has {0} ranks at most: for one that runs, give --max-nodes {0}", most_ranks)};
  }

 private:
  double rate_;
  std::vector<model::tuning::PacketPath> paths_;
};

}  // namespace

std::unique_ptr<Platform> make_uniform_platform(const UniformNetwork& network, double rate) {
  return std::make_unique<UniformPlatform>(network, rate);
}

}  // namespace lbsp::tune
