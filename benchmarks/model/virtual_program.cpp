// What the supersteps of a ready program take in virtual time, where no processor is in the way: every rank has a host
// of its own and is told its rate, and all compute equally long. Prints the seconds of the communication.
//
//   virtual_program --network loss=1%,rtt=150ms,rate=200Mbit --nodes 9 --program jacobi --size 2050 --sweeps 200
//     --halo 50 --copies 3,1 --repair 6

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/bitonic_schedule.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "model/tuning/program.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/launch/request/redundancy_option.hpp"
#include "transport/impairment/wan_spec.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using namespace transport;
using model::tuning::Program;

struct Asked {
  std::string network = "rtt=70ms,rate=100Mbit";
  std::string program = "matmul";
  std::uint64_t nodes = 4;
  std::uint64_t size = 1024;
  std::uint64_t sweeps = 100;
  std::uint64_t halo = 1;
  std::uint64_t seed = 1;
  std::uint64_t datagram = 1400;
  bool each = false;  ///< also the seconds of each superstep
};

Program program_of(const Asked& asked) {
  constexpr double any_rate = 1e9;
  const auto nodes = static_cast<double>(asked.nodes);
  const auto size = static_cast<double>(asked.size);
  if (asked.program == "matmul") return model::tuning::matmul_program(size, nodes, any_rate);
  if (asked.program == "bitonic_sort") return model::tuning::bitonic_sort_program(size, nodes, any_rate);
  if (asked.program == "fft2d") return model::tuning::fft2d_program(size, nodes, any_rate);
  return model::tuning::jacobi_program(
      {size, static_cast<double>(asked.sweeps), static_cast<double>(asked.halo)}, nodes, any_rate);
}

/// Who sends what to whom in which superstep.
class Script {
 public:
  explicit Script(const Asked& asked)
      : name_(asked.program),
        ranks_(static_cast<Rank>(asked.nodes)),
        program_(program_of(asked)),
        asked_(static_cast<std::size_t>(ranks_)) {}

  std::size_t supersteps() const {
    return static_cast<std::size_t>(program_.supersteps + program_.short_supersteps);
  }
  const Program& program() const { return program_; }

  /// Of the next superstep of `from`, which asks for each of the others once.
  std::size_t bytes(Rank from, Rank to) {
    const std::uint64_t superstep =
        asked_[static_cast<std::size_t>(from)]++ / static_cast<std::uint64_t>(ranks_ - 1);
    const std::uint64_t first = program_.begins_short ? 1 : 0;
    const bool is_long =
        superstep >= first && superstep - first < static_cast<std::uint64_t>(program_.supersteps);
    constexpr std::size_t heads = 24;
    if (!is_long || !sends(from, to, superstep - first)) return heads;
    return heads + static_cast<std::size_t>(program_.message_bytes);
  }

 private:
  bool sends(Rank from, Rank to, std::uint64_t superstep) const {
    if (name_ == "fft2d") return true;
    if (name_ == "jacobi") return to == from + 1 || to == from - 1;
    if (name_ == "bitonic_sort") return algorithms::bitonic_schedule(from, ranks_)[superstep].partner == to;
    Rank side = 1;
    while (side * side < ranks_)
      ++side;
    return from / side == to / side || from % side == to % side;
  }

  std::string name_;
  Rank ranks_;
  Program program_;
  std::vector<std::uint64_t> asked_;  ///< by rank: for how many messages
};

SimulationConfig config_of(const Asked& asked, const ExchangeOptions& options) {
  SimulationConfig config;
  config.size = static_cast<Rank>(asked.nodes);
  config.seed = asked.seed;
  config.wan = parse_wan_spec(asked.network);
  config.options = options;
  config.options.rate = config.wan.rate.value_or(megabits_per_second(1000));
  config.planner = [options](Rank) { return std::make_unique<plan::ModelPlanner>(options); };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  return config;
}

void run(const Asked& asked, const ExchangeOptions& options) {
  Script script(asked);
  RunningJob job(config_of(asked, options), [&](Rank from, Rank to) { return script.bytes(from, to); });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= script.supersteps(); }, Instant{1h});
  double sum = 0;
  for (std::size_t i = 0; i < script.supersteps(); ++i) {
    sum += job.seconds(i);
    if (asked.each) fmt::print("superstep {}: {:.6f}\n", i, job.seconds(i));
  }
  fmt::print("{:.6f}\n", sum);
}

void read_and_run(const std::vector<std::string>& words) {
  Asked asked;
  launch::request::RedundancyWords redundancy;
  command_line::CommandLine line("virtual_program", "What a ready program's supersteps take in virtual time.",
                                 "");
  line.add("--network", asked.network, "SPEC", "as for lbsp wan");
  line.add_choice("--program", asked.program, {"matmul", "bitonic_sort", "fft2d", "jacobi"}, "which");
  line.add_whole("--nodes", asked.nodes, {2, 1024}, "how many ranks");
  line.add_whole("--size", asked.size, "rows, keys or points a side");
  line.add_whole("--sweeps", asked.sweeps, "of jacobi");
  line.add_whole("--halo", asked.halo, "of jacobi");
  line.add_whole("--seed", asked.seed, "of the network's chances");
  line.add_whole("--datagram", asked.datagram, {min_datagram_bytes, max_datagram_bytes}, "bytes");
  line.add("--copies", redundancy.copies, "K[,L]", "as for lbsp run");
  line.add("--repair", redundancy.repair, "R", "as for lbsp run");
  line.add("--tail", redundancy.tail, "N", "as for lbsp run");
  line.add_flag("--each", asked.each, "the seconds of each superstep, too");
  if (!line.parse(words)) return;
  ExchangeOptions options;
  set_redundancy(options, redundancy);
  options.datagram_bytes = asked.datagram;
  run(asked, options);
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  try {
    lbsp::bench::read_and_run({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lbsp: {}\n", error.what());
    return 1;
  }
}
