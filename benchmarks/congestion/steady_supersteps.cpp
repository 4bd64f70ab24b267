// How far supersteps are from their bound in the long run, in virtual time: every rank sends the same bytes to every
// other, over an uplink and a downlink of its own, at 10 % loss. After ten supersteps, the mean and the quantiles of a
// thousand, over the bound: half a round trip, and what the messages' bytes, without any headers, take at the links'
// rate, over 1 - loss. And how many are a tenth or more above it, and how many of those saw repairs.
//
// Beside it, as "rateless", what the best of codes would take: each rank sends datagrams of lbsp's length to the others
// in turns, any so many of which make up a message as it has segments, and goes on until all has come. Where answers
// come too late to be of use, as none of these cells' do, no code that is sent in turns is faster.
//
//   steady_supersteps [--supersteps N]

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/congestion/run_program.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "tools/command_line/command_line.hpp"
#include "transport/messages/outgoing_message.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr double loss = 0.1;
constexpr std::size_t warm_up = 10;

struct Cell {
  double megabits;
  double round_trip_ms;
  std::size_t bytes;
  Rank ranks;
  bool told;
};

SimulationConfig config_of(const Cell& cell) {
  SimulationConfig config;
  config.size = cell.ranks;
  config.wan = parse_wan_spec(fmt::format("rtt={}ms,loss={}%", cell.round_trip_ms, 100 * loss));
  constexpr double found_at_first = 100;
  config.options.rate = megabits_per_second(cell.told ? cell.megabits : found_at_first);
  config.options.find_rate = !cell.told;
  config.options.find_datagram = true;
  config.options.datagram_bytes = 1472;
  config.planner = [](Rank) {
    return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  const auto link = [&] {
    const auto product = static_cast<std::uint64_t>(cell.megabits * 125 * cell.round_trip_ms);
    return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(cell.megabits), product});
  };
  for (Rank rank = 0; rank < cell.ranks; ++rank)
    config.topology.hosts.push_back({1, link(), link()});
  return config;
}

double bound(const Cell& cell) {
  const double bytes = (cell.ranks - 1) * static_cast<double>(cell.bytes);
  return cell.round_trip_ms / 2e3 + bytes / (cell.megabits * 125e3) / (1 - loss);
}

/// The mean over the bound.
double rateless(const Cell& cell) {
  constexpr int draws = 20'000;
  constexpr std::size_t datagram_bytes = 1472;
  constexpr std::size_t ip_and_udp_bytes = 28;
  const auto segments = static_cast<int>(segments_of(cell.bytes, datagram_bytes - data_overhead_bytes));
  const double each = (datagram_bytes + ip_and_udp_bytes) / (cell.megabits * 125e3);
  const int senders = cell.ranks - 1;
  std::mt19937_64 random(1);
  std::negative_binomial_distribution<int> lost_of(segments, 1 - loss);
  double sum = 0;
  for (int draw = 0; draw < draws; ++draw) {
    int last = 0;
    for (int sender = 0; sender < senders; ++sender)
      last = std::max(last, (segments + lost_of(random) - 1) * senders + sender + 1);
    sum += cell.round_trip_ms / 2e3 + last * each;
  }
  return sum / draws / bound(cell);
}

void print(const Cell& cell, std::size_t supersteps) {
  RunningJob job(config_of(cell), [&](Rank, Rank) { return cell.bytes; });
  SharedTime time;
  time.add(job);
  std::vector<double> ratios;
  std::size_t slow = 0;
  std::size_t slow_with_repairs = 0;
  std::uint64_t resent = 0;
  for (std::size_t i = 0; i < warm_up + supersteps; ++i) {
    time.run_until([&] { return job.supersteps() > i; }, Instant{24h});
    const std::uint64_t before = std::exchange(resent, job.traffic().segments_resent);
    if (i < warm_up) continue;
    ratios.push_back(job.seconds(i) / bound(cell));
    if (ratios.back() < 1.1) continue;
    ++slow;
    slow_with_repairs += resent > before ? 1 : 0;
  }
  const double mean = std::accumulate(ratios.begin(), ratios.end(), 0.) / static_cast<double>(supersteps);
  std::ranges::sort(ratios);
  const auto at = [&](std::size_t per_thousand) { return ratios[per_thousand * (supersteps - 1) / 1000]; };
  fmt::print(
      "{:>6g} {:>6g} {:>8} {:>5} {:>5} {:>8.1f} {:>7.3f} {:>7.3f} {:>7.3f} {:>7.3f} {:>5} {:>7} {:>9.3f}\n",
      cell.megabits, cell.round_trip_ms, cell.bytes, cell.ranks, cell.told ? "told" : "found",
      1e3 * bound(cell), mean, at(500), at(990), ratios.back(), slow, slow_with_repairs, rateless(cell));
  std::fflush(stdout);
}

void run(const std::vector<std::string>& words) {
  std::uint64_t supersteps = 1000;
  command_line::CommandLine line("steady_supersteps", "How far supersteps are from their bounds.", "");
  line.add_whole("--supersteps", supersteps, {1, 1'000'000}, "how many, after the first ten");
  if (!line.parse(words)) return;
  fmt::print("{:>6} {:>6} {:>8} {:>5} {:>5} {:>8} {:>7} {:>7} {:>7} {:>7} {:>5} {:>7} {:>9}\n", "Mbit/s",
             "RTT ms", "bytes", "ranks", "rate", "bound ms", "mean", "median", "p99", "worst", "slow",
             "repairs", "rateless");
  for (const bool told : {true, false}) {
    print({100, 70, 64 << 10, 4, told}, supersteps);
    print({50, 70, 16 << 10, 16, told}, supersteps);
    print({100, 300, 64 << 10, 4, told}, supersteps);
  }
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  return lbsp::bench::run_program(lbsp::bench::run, argc, argv);
}
