#include "tools/tune/tune_command.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "tools/model_command/arguments.hpp"
#include "tools/profile/profile_file.hpp"
#include "tools/tune/advice_text.hpp"
#include "tools/tune/other_models.hpp"
#include "tools/tune/tune.hpp"
#include "transport/error.hpp"

namespace lbsp::tune {
namespace {

using model_command::add;
using model_command::given;

constexpr const char* footer =
    R"(The network is a profile of lbsp probe; or give --loss, --rtt and --bandwidth, the same for every pair of nodes.
The algorithm is a ready program with --size, or own with --work, --message and --supersteps. The models of --model other
than lbsp say how many nodes to take; docs/predictors.md explains them.

Example: lbsp tune --loss 10% --rtt 70ms --bandwidth 100Mbit --algorithm matmul --size 4096 --max-nodes 64)";

/// Of a datagram one way. Beyond it hardly anything arrives, and the plan would try ever more copies.
constexpr double most_loss = 0.9;

struct Options {
  std::string profile;
  std::optional<double> loss;
  std::optional<double> round_trip;
  std::optional<double> bandwidth;
  std::optional<std::string> algorithm;
  std::optional<double> size;
  std::optional<double> sweeps;
  std::optional<double> work;
  std::optional<double> supersteps;
  std::optional<double> message;
  std::optional<double> destinations;
  std::optional<double> halo;  ///< 0: auto
  std::optional<double> nodes;
  std::optional<double> most_nodes;
  std::optional<double> flops;
  Model model = Model::lossy_bsp;
  std::string json;
};

/// Outside this range no computer is, and times leave the range of numbers.
double read_compute_rate(const std::string& text, const char* option) {
  constexpr double least = 1e-3;
  constexpr double most = 1e21;
  const double rate = model_command::read_number(text, option, least);
  if (rate > most) throw UsageError(fmt::format("{} {}: give {:g} or less", option, text, most));
  return rate;
}

/// 0: auto.
double read_halo(const std::string& text, const char* option) {
  if (text == "auto") return 0;
  return model_command::read_whole(text, option);
}

std::string as_written(const std::string& text, const char*) {
  return text;
}

Model read_model(const std::string& text, const char*) {
  return model_named(text);
}

void add_network(command_line::CommandLine& line, Options& options) {
  line.add("--profile", options.profile, "FILE", "the network as lbsp probe measured it");
  add(line, "--loss", options.loss, model_command::read_loss, "P",
      "loss of a datagram of 1400 bytes, one way: 10%, 0.1");
  add(line, "--rtt", options.round_trip, model_command::read_seconds, "T", "round trip: 70ms");
  add(line, "--bandwidth", options.bandwidth, model_command::read_bytes_per_second, "B",
      "what a node can send in a second: 100Mbit, 17.5MB");
}

void add_algorithm(command_line::CommandLine& line, Options& options) {
  add(line, "--algorithm", options.algorithm, as_written, "NAME",
      "matmul, fox (matmul by Fox's algorithm), bitonic_sort, fft2d, jacobi or own");
  add(line, "--size", options.size, model_command::read_whole, "N",
      "matmul, fox: N x N; bitonic_sort: N keys; fft2d: N x N points; jacobi: N x N points");
  add(line, "--sweeps", options.sweeps, model_command::read_whole, "S", "sweeps of jacobi; default 1000");
  add(line, "--halo", options.halo, read_halo, "D",
      "halo of jacobi, which then has a superstep for every D sweeps; default: auto, the best");
  add(line, "--work", options.work, model_command::read_positive_seconds, "T",
      "own: the work, in time on one node: 4h");
  add(line, "--supersteps", options.supersteps, model_command::read_whole, "S",
      "own: number of supersteps; default 1");
  add(line, "--message", options.message, model_command::read_bytes, "SIZE",
      "own: what a node sends another in a superstep: 64KiB");
  add(line, "--destinations", options.destinations, model_command::read_whole, "D",
      "own: to how many others a node sends; default: all");
}

void add_limits(command_line::CommandLine& line, Options& options) {
  add(line, "--max-nodes", options.most_nodes, model_command::read_whole, "M",
      "the most nodes to consider; default: the profile's hosts, or 1024");
  add(line, "--nodes", options.nodes, model_command::read_whole, "N",
      "exactly so many nodes: only the rest is chosen");
  add(line, "--flops", options.flops, read_compute_rate, "F",
      "operations per second of a node (comparisons for bitonic_sort); default: the profile's, or without one "
      "those of a usual core");
  add(line, "--model", options.model, read_model, "NAME",
      "whose prediction to follow: lbsp (default), pmm, queueing or critical-path; only lbsp knows losses");
  model_command::add_json(line, options.json);
}

void require_absent(bool given_too, const char* option, const char* why) {
  if (given_too) throw UsageError(fmt::format("{} {}: leave it out", option, why));
}

Algorithm algorithm_of(const Options& options) {
  AlgorithmOptions algorithm{.name = given(options.algorithm, "--algorithm")};
  const bool own = algorithm.name == "own";
  const Algorithm known(algorithm);
  require_absent(options.sweeps && algorithm.name != "jacobi", "--sweeps", "is for jacobi");
  require_absent(options.halo && algorithm.name != "jacobi", "--halo", "is for jacobi");
  require_absent(options.nodes && options.most_nodes, "--max-nodes", "has no meaning beside --nodes");
  require_absent(options.work && !own, "--work", "is for --algorithm own");
  require_absent(options.supersteps && !own, "--supersteps", "is for --algorithm own");
  require_absent(options.message && !own, "--message", "is for --algorithm own");
  require_absent(options.destinations && !own, "--destinations", "is for --algorithm own");
  require_absent(options.size && own, "--size", "is for ready programs");
  require_absent(options.flops && own, "--flops", "is for ready programs: --work is in seconds");
  algorithm.sweeps = options.sweeps.value_or(algorithm.sweeps);
  algorithm.halo = std::max(options.halo.value_or(1), 1.);
  if (own) {
    algorithm.own = {.work_seconds = given(options.work, "--work"),
                     .supersteps = options.supersteps.value_or(1),
                     .message_bytes = given(options.message, "--message"),
                     .destinations = options.destinations.value_or(0)};
  } else {
    algorithm.size = given(options.size, "--size");
  }
  return Algorithm(algorithm);
}

std::unique_ptr<Platform> platform_of(const Options& options, const Algorithm& algorithm) {
  if (!options.profile.empty()) {
    require_absent(options.loss.has_value(), "--loss", "is in the profile");
    require_absent(options.round_trip.has_value(), "--rtt", "is in the profile");
    require_absent(options.bandwidth.has_value(), "--bandwidth", "is in the profile");
    return make_measured_platform(profile::read_profile(options.profile), algorithm, options.flops);
  }
  if (!options.loss && !options.round_trip && !options.bandwidth)
    throw UsageError("no network: give --profile FILE, or --loss, --rtt and --bandwidth");
  if (options.loss && *options.loss > most_loss)
    throw UsageError(fmt::format("--loss: a loss of {:.4g} %: lbsp predicts up to {:g} %: give less",
                                 100 * *options.loss, 100 * most_loss));
  return make_uniform_platform({.loss = given(options.loss, "--loss"),
                                .round_trip = given(options.round_trip, "--rtt"),
                                .bandwidth = given(options.bandwidth, "--bandwidth")},
                               options.flops.value_or(algorithm.usual_rate()));
}

/// The most nodes that may be chosen have so many others at least.
void check_destinations(const Options& options, const Platform& platform) {
  if (!options.destinations) return;
  const double there = platform.most_nodes().value_or(INFINITY);
  const double most =
      options.nodes.value_or(std::min(options.most_nodes.value_or(default_most_nodes), there));
  if (*options.destinations < most) return;
  throw UsageError(
      fmt::format("--destinations {}: {} {} others: give no more, or leave it out", *options.destinations,
                  most == 1 ? "one node has" : fmt::format("each of {} nodes has", most), most - 1));
}

}  // namespace

int run_tune(const std::vector<std::string>& words) {
  Options options;
  command_line::CommandLine line(
      "lbsp tune", "Finds the best copies, packet size and number of nodes for an algorithm on a network.",
      footer);
  add_network(line, options);
  add_algorithm(line, options);
  add_limits(line, options);
  if (!line.parse(words)) return 0;
  const Algorithm algorithm = algorithm_of(options);
  const auto platform = platform_of(options, algorithm);
  check_destinations(options, *platform);
  const Decided decided{
      .most_nodes = options.most_nodes, .nodes = options.nodes, .halo = options.halo.value_or(0) > 0};
  if (options.model != Model::lossy_bsp) {
    const OtherAdvice advice = advise_by(options.model, algorithm, *platform, decided);
    answer(options.model, advice, {.profile = options.profile, .program = advice.algorithm.command()},
           options.json);
    return 0;
  }
  const Advice advice = advise(algorithm, *platform, decided);
  answer(advice, *options.algorithm, {.profile = options.profile, .program = advice.algorithm.command()},
         options.json);
  return 0;
}

}  // namespace lbsp::tune
