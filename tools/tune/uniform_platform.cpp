#include <cmath>

#include "tools/tune/platform.hpp"

namespace lbsp::tune {
namespace {

/// Payloads of lbsp's usual datagram, of smaller ones, and of such as fill 2 and 6 fragments of an Ethernet's
/// MTU.
constexpr double packet_sizes[] = {512, 1024, 1400, 2952, 8872};

/// Fragments that a UDP payload becomes with an MTU of 1500: 1480 bytes each, the first with UDP's header.
double fragments(double packet_bytes) {
  return std::ceil((packet_bytes + 8) / 1480);
}

class UniformPlatform final : public Platform {
 public:
  UniformPlatform(const UniformNetwork& network, double rate) : rate_(rate) {
    for (const double size : packet_sizes) {
      const double parts = fragments(size);
      paths_.push_back({.packet_bytes = size,
                        .loss = parts == 1 ? network.loss : -std::expm1(parts * std::log1p(-network.loss)),
                        .loss_after_loss = std::nullopt,
                        .round_trip = network.round_trip,
                        .bandwidth = network.bandwidth,
                        .fragmented = parts > 1});
    }
  }

  std::optional<double> most_nodes() const override { return std::nullopt; }
  double rate(double) const override { return rate_; }
  std::vector<model::tuning::PacketPath> paths(double) const override { return paths_; }
  std::vector<std::string> hosts(double) const override { return {}; }
  std::vector<std::string> warnings(double) const override { return {}; }

 private:
  double rate_;
  std::vector<model::tuning::PacketPath> paths_;
};

}  // namespace

std::unique_ptr<Platform> make_uniform_platform(const UniformNetwork& network, double rate) {
  return std::make_unique<UniformPlatform>(network, rate);
}

}  // namespace lbsp::tune
