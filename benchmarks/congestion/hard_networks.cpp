// How supersteps fare where networks are unlike a private path, in virtual time: ranks that share a host's link, many
// that send to one, links that carry less than was told, ranks that fall out of step, delays that vary, losses in runs.
// For each: the mean and the 99th percentile of the supersteps after the first two, over what the payload's bytes take
// on the narrowest link, over 1 - loss, and half a round trip; the bytes on the wire for each byte of payload; and what
// queues dropped.
//
//   hard_networks [--only BEGINNING] [--seed S] [--draws N]
//
// Where nothing is lost at random a seed changes nothing, so with --draws each rank begins some part of a round trip
// later than others, another one in each draw, and each draw has a seed of its own. Printed is the median of the draws,
// in brackets the least and the most.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/congestion/run_program.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "tools/command_line/command_line.hpp"
#include "transport/impairment/random.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t warm_up = 2;
constexpr std::size_t kibibyte = 1 << 10;

struct Links {
  Rank hosts = 2;
  Rank each = 1;            ///< ranks on each host
  double up = 100;          ///< Mbit/s
  double first_down = 100;  ///< of the first host …
  double down = 100;        ///< … and of the others
};

struct Cell {
  const char* name;
  Links links;
  const char* wan;
  double told;  ///< Mbit/s; 0: the rate has to be found
  RunningJob::SizeOf bytes;
  double bound;  ///< seconds
  std::size_t supersteps;
};

SimulationConfig config_of(const Cell& cell, std::uint64_t seed) {
  SimulationConfig config;
  config.size = cell.links.hosts * cell.links.each;
  config.seed = seed;
  config.wan = parse_wan_spec(cell.wan);
  constexpr double found_at_first = 100;
  config.options.rate = megabits_per_second(cell.told > 0 ? cell.told : found_at_first);
  config.options.find_rate = cell.told == 0;
  config.planner = [](Rank) {
    return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  constexpr std::uint64_t queue_bytes = 512 << 10;
  const auto link = [](double megabits) {
    return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(megabits), queue_bytes});
  };
  for (Rank host = 0; host < cell.links.hosts; ++host)
    config.topology.hosts.push_back(
        {cell.links.each, link(cell.links.up), link(host == 0 ? cell.links.first_down : cell.links.down)});
  return config;
}

double dropped_part(const Topology& topology) {
  std::uint64_t dropped = 0;
  std::uint64_t all = 0;
  for (const Topology::Host& host : topology.hosts) {
    for (const auto& link : {host.uplink, host.downlink}) {
      dropped += link->drops();
      all += link == host.uplink ? link->datagrams() + link->drops() : 0;
    }
  }
  return static_cast<double>(dropped) / static_cast<double>(std::max<std::uint64_t>(all, 1));
}

/// What the supersteps of a cell came to.
struct Figures {
  double mean_seconds;
  double late_seconds;
  double wire;
  double dropped;
};

std::vector<Duration> times_apart(const SimulationConfig& config) {
  Random random(config.seed);
  std::vector<Duration> later;
  for (Rank rank = 0; rank < config.size; ++rank)
    later.push_back(std::chrono::duration_cast<Duration>(random.unit() * config.wan.round_trip_time));
  return later;
}

Figures figures_of(const Cell& cell, std::uint64_t seed, bool apart) {
  const SimulationConfig config = config_of(cell, seed);
  RunningJob job(config, cell.bytes, apart ? times_apart(config) : std::vector<Duration>{});
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= warm_up + cell.supersteps; }, Instant{1h});
  std::vector<double> seconds;
  for (std::size_t i = warm_up; i < job.supersteps(); ++i)
    seconds.push_back(job.seconds(i));
  std::ranges::sort(seconds);
  const TrafficCounters traffic = job.traffic();
  return {
      .mean_seconds = job.mean_seconds(warm_up),
      .late_seconds = seconds[99 * (seconds.size() - 1) / 100],
      .wire = static_cast<double>(traffic.wire_bytes_sent) / static_cast<double>(traffic.payload_bytes_sent),
      .dropped = dropped_part(config.topology)};
}

/// The median of some values, and if there are several, the least and the most.
std::string spread(std::vector<double> values, int digits) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  if (values.size() == 1) return fmt::format("{:.{}f}", median, digits);
  return fmt::format("{:.{}f} ({:.{}f}-{:.{}f})", median, digits, values.front(), digits, values.back(),
                     digits);
}

void print(const Cell& cell, std::uint64_t seed, std::uint64_t draws) {
  std::vector<Figures> all;
  for (std::uint64_t draw = 0; draw < draws; ++draw)
    all.push_back(figures_of(cell, seed + draw, draws > 1));
  const auto column = [&](double Figures::*of, double unit, int digits) {
    std::vector<double> values;
    for (const Figures& figures : all)
      values.push_back(figures.*of / unit);
    return spread(values, digits);
  };
  fmt::print("{:<44} {:>8.1f} {:>20} {:>18} {:>18} {:>18} {:>18}\n", cell.name, 1e3 * cell.bound,
             column(&Figures::mean_seconds, 1e-3, 1), column(&Figures::mean_seconds, cell.bound, 2),
             column(&Figures::late_seconds, cell.bound, 2), column(&Figures::wire, 1, 2),
             column(&Figures::dropped, 0.01, 2));
  std::fflush(stdout);
}

RunningJob::SizeOf all(std::size_t bytes) {
  return [bytes](Rank, Rank) { return bytes; };
}

/// Half a round trip, and bytes on a link.
double bound(double round_trip_ms, double bytes, double megabits, double loss) {
  return round_trip_ms / 2e3 + bytes / (megabits * 125e3) / (1 - loss);
}

std::vector<Cell> cells() {
  const Links two_hosts{.hosts = 2, .each = 4};
  const Links three_slow_hosts{.hosts = 3, .each = 4, .up = 20, .first_down = 20, .down = 20};
  const Links ten{.hosts = 4, .up = 10, .first_down = 10, .down = 10};
  const auto apart = [](Rank ranks) { return Links{.hosts = ranks}; };
  const RunningJob::SizeOf gather = [](Rank, Rank to) { return to == 0 ? 1024 * kibibyte : 0; };
  const double quarter = 16. * 256 * kibibyte;
  const double mebibyte = 1024. * kibibyte;
  return {
      {"1 two hosts of four, found", two_hosts, "rtt=40ms", 0, all(256 * kibibyte),
       bound(40, quarter, 100, 0), 12},
      {"1 two hosts of four, found, 10 %", two_hosts, "rtt=40ms,loss=10%", 0, all(256 * kibibyte),
       bound(40, quarter, 100, 0.1), 12},
      {"1 three hosts of four on 20 Mbit/s, found", three_slow_hosts, "rtt=40ms", 0, all(64 * kibibyte),
       bound(40, 32. * 64 * kibibyte, 20, 0), 12},
      {"1 three hosts of four on 20, found, 10 %", three_slow_hosts, "rtt=40ms,loss=10%", 0,
       all(64 * kibibyte), bound(40, 32. * 64 * kibibyte, 20, 0.1), 12},
      {"1 gather of 15, found", apart(16), "rtt=40ms", 0, gather, bound(40, 15 * mebibyte, 100, 0), 6},
      {"1 gather of 15, found, 10 %", apart(16), "rtt=40ms,loss=10%", 0, gather,
       bound(40, 15 * mebibyte, 100, 0.1), 6},
      {"1 24 hosts, one with 20 Mbit/s down, found", Links{.hosts = 24, .first_down = 20}, "rtt=40ms", 0,
       all(64 * kibibyte), bound(40, 23. * 64 * kibibyte, 20, 0), 6},
      {"1 16 hosts behind 20 Mbit/s, found", Links{.hosts = 16, .up = 20, .first_down = 20, .down = 20},
       "rtt=40ms", 0, all(64 * kibibyte), bound(40, 15. * 64 * kibibyte, 20, 0), 12},
      {"2 told 100 on links of 50", Links{.hosts = 4, .up = 50, .first_down = 50, .down = 50}, "rtt=70ms",
       100, all(1024 * kibibyte), bound(70, 3 * mebibyte, 50, 0), 20},
      {"2 told 100 on links of 10", ten, "rtt=70ms", 100, all(1024 * kibibyte),
       bound(70, 3 * mebibyte, 10, 0), 20},
      {"2 told 1000 on links of 10", ten, "rtt=70ms", 1000, all(256 * kibibyte),
       bound(70, 3 * 256. * kibibyte, 10, 0), 20},
      {"3 two hosts of four, told", two_hosts, "rtt=40ms", 100, all(256 * kibibyte),
       bound(40, quarter, 100, 0), 12},
      {"4, 10 two ranks, 1 MiB, 10 %, told", apart(2), "rtt=70ms,loss=10%", 100, all(1024 * kibibyte),
       bound(70, mebibyte, 100, 0.1), 200},
      {"4, 10 four ranks, 1 MiB, 10 %, told", apart(4), "rtt=70ms,loss=10%", 100, all(1024 * kibibyte),
       bound(70, 3 * mebibyte, 100, 0.1), 100},
      {"5 jitter of 20 ms", apart(4), "rtt=70ms,jitter=20ms", 100, all(256 * kibibyte),
       bound(70, 3 * 256. * kibibyte, 100, 0), 40},
      {"5 5 % reordered", apart(4), "rtt=70ms,reorder=5%", 100, all(256 * kibibyte),
       bound(70, 3 * 256. * kibibyte, 100, 0), 40},
      {"5 jitter of 20 ms, 5 % reordered", apart(4), "rtt=70ms,jitter=20ms,reorder=5%", 100,
       all(256 * kibibyte), bound(70, 3 * 256. * kibibyte, 100, 0), 40},
      {"6 10 % in runs of 5, 1 KiB", apart(4), "rtt=70ms,loss=10%,burst=5", 100, all(kibibyte),
       bound(70, 3. * kibibyte, 100, 0.1), 400},
      {"6 10 % in runs of 5, 64 KiB", apart(4), "rtt=70ms,loss=10%,burst=5", 100, all(64 * kibibyte),
       bound(70, 3 * 64. * kibibyte, 100, 0.1), 400},
      {"6 10 % in runs of 11, 64 KiB", apart(4), "rtt=70ms,loss=10%,burst=11", 100, all(64 * kibibyte),
       bound(70, 3 * 64. * kibibyte, 100, 0.1), 400},
  };
}

void run(const std::vector<std::string>& words) {
  std::string only;
  std::uint64_t seed = 1;
  std::uint64_t draws = 1;
  command_line::CommandLine line("hard_networks", "Supersteps where networks are unlike a private path.", "");
  line.add("--only", only, "BEGINNING", "the cells whose names begin so");
  line.add_whole("--seed", seed, "of the network's chances");
  line.add_whole("--draws", draws, "of each cell, with ranks that begin apart");
  if (!line.parse(words)) return;
  fmt::print("{:<44} {:>8} {:>20} {:>18} {:>18} {:>18} {:>18}\n", "", "bound ms", "mean ms", "mean", "p99",
             "wire", "dropped, %");
  for (const Cell& cell : cells())
    if (std::string(cell.name).starts_with(only)) print(cell, seed, std::max<std::uint64_t>(draws, 1));
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  return lbsp::bench::run_program(lbsp::bench::run, argc, argv);
}
