// Supersteps on networks drawn at random, in virtual time, to find those on which lbsp falls off: 2 to 12 hosts of one
// to four ranks, round trips of 0.2 to 400 ms, links of 0.3 to 300 Mbit/s with short or long queues, buckets or
// policers, slower downlinks or one slow host, loss, late and overtaking datagrams, MTUs, rates that are told, rightly
// or not, or have to be found, and five patterns of messages. One line for each seed:
//
//   MEAN FIRST DROPPED WIRE | SEED: what it is
//
// MEAN: the supersteps after the second, over the bound, which is what the bytes take that have to arrive on the
// busiest link, and half a round trip. FIRST: the same of the first one. DROPPED: the part that links dropped after the
// second. WIRE: bytes for a byte of payload in these. A job that has failed, or takes more than 20 times the bound and
// a minute, says so at the end. Short messages on paths that lose datagrams take several times this bound, whatever is
// done.
//
//   random_networks [--first SEED] [--number N]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "benchmarks/congestion/random_network.hpp"
#include "benchmarks/congestion/run_program.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "tools/command_line/command_line.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t warm_up = 2;
SimulationConfig config_of(const RandomNetwork& network, std::uint64_t seed) {
  SimulationConfig config;
  config.size = network.ranks();
  config.seed = seed;
  config.wan = parse_wan_spec(network.wan);
  config.options.rate = megabits_per_second(network.told_megabits > 0 ? network.told_megabits : 100);
  config.options.find_rate = network.told_megabits == 0;
  config.options.find_datagram = true;
  config.options.datagram_bytes = network.longest_datagram;
  config.options.peer_timeout = 60s;
  config.planner = [](Rank) {
    return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  const auto link = [&](double megabits) {
    BottleneckSpec spec = network.link;
    spec.rate = megabits_per_second(megabits);
    return std::make_shared<Bottleneck>(spec);
  };
  for (std::size_t host = 0; host < network.up.size(); ++host)
    config.topology.hosts.push_back({network.ranks_each, link(network.up[host]), link(network.down[host])});
  return config;
}

struct Count {
  double dropped = 0;
  double carried = 0;
};

Count count_of(const Topology& topology) {
  Count count;
  for (const Topology::Host& host : topology.hosts) {
    for (const auto& link : {host.uplink, host.downlink}) {
      count.dropped += static_cast<double>(link->drops());
      count.carried += static_cast<double>(link->datagrams());
    }
  }
  return count;
}

/// Every other message is short where the pattern says so.
RunningJob::SizeOf sizes_of(const RandomNetwork& network) {
  constexpr std::size_t short_message = 100;
  const Messages& messages = network.messages;
  std::vector<std::vector<int>> sent(messages.size(), std::vector<int>(messages.size()));
  return [messages, sent, halved = network.pattern == Pattern::every_other](Rank from, Rank to) mutable {
    const auto sender = static_cast<std::size_t>(from);
    const auto receiver = static_cast<std::size_t>(to);
    const bool is_short = halved && sent[sender][receiver]++ % 2 == 0;
    return is_short ? short_message : static_cast<std::size_t>(messages[sender][receiver]);
  };
}

/// What a job has done, beside the bound of a superstep in seconds.
struct Done {
  double mean = 0;  ///< of the supersteps after the second, over the bound
  double first = 0;
  double dropped = 0;
  double wire = 0;
  std::string failure;
};

double payload_of(const RandomNetwork& network) {
  double payload = 0;
  for (const auto& row : network.messages)
    payload += std::accumulate(row.begin(), row.end(), 0.);
  return std::max(1., network.pattern == Pattern::every_other ? payload / 2 : payload);
}

Done done_by(const RandomNetwork& network, std::uint64_t seed) {
  const Least least = least_of(network);
  const bool halved = network.pattern == Pattern::every_other;
  const double bound = halved ? (least.seconds + network.round_trip_ms / 2000) / 2 : least.seconds;
  const std::size_t supersteps = warm_up + (least.segments > 2000 ? 8 : 20);
  const SimulationConfig config = config_of(network, seed);
  RunningJob job(config, sizes_of(network));
  SharedTime time;
  time.add(job);
  Done done;
  Count before;
  TrafficCounters sent;
  const std::chrono::duration<double> latest(60 + 20 * bound * static_cast<double>(supersteps));
  const Instant end = config.beginning + std::chrono::duration_cast<Duration>(latest);
  try {
    time.run_until([&] { return job.supersteps() >= warm_up; }, end);
    before = count_of(config.topology);
    sent = job.traffic();
    time.run_until([&] { return job.supersteps() >= supersteps; }, end);
    if (job.supersteps() < supersteps) done.failure = fmt::format("{} supersteps only", job.supersteps());
  } catch (const std::exception& error) {
    done.failure = error.what();
  }
  if (job.supersteps() > 0) done.first = job.seconds(0) / bound;
  if (job.supersteps() <= warm_up) return done;
  done.mean = job.mean_seconds(warm_up) / bound;
  const Count after = count_of(config.topology);
  const double dropped = after.dropped - before.dropped;
  done.dropped = dropped / (dropped + after.carried - before.carried);
  done.wire = static_cast<double>(job.traffic().wire_bytes_sent - sent.wire_bytes_sent) /
              payload_of(network) / static_cast<double>(job.supersteps() - warm_up);
  return done;
}

void run(const std::vector<std::string>& words) {
  std::uint64_t first = 1;
  std::uint64_t number = 100;
  command_line::CommandLine line("random_networks", "Supersteps on networks drawn at random.", "");
  line.add_whole("--first", first, {0, 1'000'000'000}, "the seed of the first one");
  line.add_whole("--number", number, {1, 1'000'000}, "how many");
  if (!line.parse(words)) return;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const RandomNetwork network = network_of(seed);
    const Done done = done_by(network, seed);
    fmt::print("{:7.2f} {:7.2f} {:5.3f} {:6.2f} | {}: {}{}{}\n", done.mean, done.first, done.dropped,
               done.wire, seed, name_of(network), done.failure.empty() ? "" : " FAILED: ", done.failure);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  return lbsp::bench::run_program(lbsp::bench::run, argc, argv);
}
