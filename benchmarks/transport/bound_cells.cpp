/// How far a superstep is from what TCP's headers alone would take, in virtual time: every rank sends the same bytes to
/// every other, each over an uplink and a downlink of its own, without and with loss, where the rate was told and where
/// it has to be found. The figures are the same on every machine.

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>

#include "lbsp/plan/model_planner.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr double rate =
    12.5e6;  ///< bytes a second, without IP's and UDP's headers, as on the bed of lbsp wan
constexpr double delay = 0.035;
/// What a packet of 1500 bytes carries beyond 28 bytes of headers, for 1448 bytes of TCP's payload.
constexpr double tcp_headers = 1472. / 1448;
constexpr std::uint64_t queue_bytes = 875'000;  ///< the product of rate and round trip
constexpr std::size_t warm_up = 2;
constexpr std::size_t supersteps = 20;

struct Cell {
  double loss;
  bool told;
  std::size_t bytes;
  Rank ranks;
};

SimulationConfig config_of(const Cell& cell) {
  SimulationConfig config;
  config.size = cell.ranks;
  config.wan = parse_wan_spec(fmt::format("rtt=70ms,loss={}%", 100 * cell.loss));
  config.options.rate = BytesPerSecond{rate};
  config.options.find_rate = !cell.told;
  config.options.find_datagram = true;
  config.options.datagram_bytes = 1472;
  config.planner = [](Rank) {
    return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  const auto link = [] {
    return std::make_shared<Bottleneck>(BottleneckSpec{BytesPerSecond{rate}, queue_bytes});
  };
  for (Rank rank = 0; rank < cell.ranks; ++rank)
    config.topology.hosts.push_back({1, link(), link()});
  return config;
}

double seconds(const Cell& cell) {
  RunningJob job(config_of(cell), [&](Rank, Rank) { return cell.bytes; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= warm_up + supersteps; }, Instant{1h});
  return job.mean_seconds(warm_up);
}

double bound(const Cell& cell) {
  const double bytes = static_cast<double>(cell.bytes) * (cell.ranks - 1);
  return delay + bytes * tcp_headers / rate / (1 - cell.loss);
}

void print() {
  fmt::print("{:>5} {:>8} {:>6} {:>6} {:>10} {:>10} {:>7}\n", "loss", "bytes", "ranks", "told", "bound ms",
             "mean ms", "ratio");
  for (const double loss : {0., 0.1}) {
    for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{1} << 20}) {
      for (const Rank ranks : {2, 4, 8}) {
        for (const bool told : {true, false}) {
          const Cell cell{loss, told, bytes, ranks};
          const double least = bound(cell);
          const double taken = seconds(cell);
          fmt::print("{:>4g}% {:>8} {:>6} {:>6} {:>10.2f} {:>10.2f} {:>7.3f}\n", 100 * loss, bytes, ranks,
                     told ? "yes" : "no", 1e3 * least, 1e3 * taken, taken / least);
          std::fflush(stdout);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lbsp::bench

int main() {
  lbsp::bench::print();
  return EXIT_SUCCESS;
}
