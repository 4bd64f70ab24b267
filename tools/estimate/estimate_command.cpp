#include "tools/estimate/estimate_command.hpp"

#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/json_nesting.hpp"
#include "tools/command_line/memory_end.hpp"
#include "tools/command_line/text_file.hpp"
#include "tools/estimate/answers.hpp"
#include "tools/estimate/described_run.hpp"
#include "tools/estimate/lossy_estimate.hpp"
#include "tools/estimate/other_estimates.hpp"
#include "tools/estimate/trace_estimate.hpp"
#include "tools/model_command/answer.hpp"
#include "tools/model_command/arguments.hpp"
#include "transport/error.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::estimate {
namespace {

using model_command::Json;

constexpr std::size_t longest_trace = std::size_t{2} << 30;
/// Of a run described by hand. As JSON it takes up to forty times as much.
constexpr std::size_t longest_description = std::size_t{64} << 20;
constexpr double most_factor = 1e9;

constexpr const char* footer =
    R"(TRACE is what lbsp run --trace TRACE has written. Up to four models estimate it. critical-path is the longest path
through the run: the processor time that each rank used, whatever else its host did, and for each message half of the
round trip, and its bytes at the best rate at which a message arrived, or its sender's if that is lower. lbsp takes the
time by the wall clock that the slowest rank of each superstep computed, and predicts each exchange with its losses, as
lbsp run does. pmm is the formula of Fox's product, and queueing a closed network of hosts: docs/trace.md and
docs/predictors.md say more.

Example: lbsp run -n 4 --trace fft.trace -- fft2d --size 2048 && lbsp estimate fft.trace
Example: lbsp estimate fft.trace --rtt 70ms --loss 10% --rate 50Mbit --flops 4x --json -
Example: lbsp estimate fft.trace --rtt 70ms --loss 10% --rate 50Mbit -n 16)";

struct Options {
  std::string trace;
  Changes changes;
  std::optional<double> ranks;
  std::string model = "all";
  std::string json;
};

/// The factor in `2x`; none if it is no factor.
std::optional<double> factor_in(const std::string& text, const char* option) {
  if (!text.ends_with('x')) return std::nullopt;
  double factor = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [rest, problem] = std::from_chars(text.data(), end, factor);
  if (problem != std::errc{} || rest != end || !(factor >= 1 / most_factor && factor <= most_factor))
    throw UsageError(
        fmt::format("{} {}: give a factor from {:g}x to {:g}x", option, text, 1 / most_factor, most_factor));
  return factor;
}

Change read_round_trip(const std::string& text, const char* option) {
  if (const auto factor = factor_in(text, option)) return {*factor, true};
  return {model_command::read_seconds(text, option), false};
}

Change read_rate(const std::string& text, const char* option) {
  if (const auto factor = factor_in(text, option)) return {*factor, true};
  return {model_command::read_bytes_per_second(text, option), false};
}

Change read_loss(const std::string& text, const char* option) {
  if (const auto factor = factor_in(text, option)) return {*factor, true};
  return {model_command::read_loss(text, option), false};
}

double read_ranks(const std::string& text, const char* option) {
  const double ranks = model_command::read_whole(text, option);
  if (ranks > transport::max_ranks)
    throw UsageError(fmt::format("{} {}: give {} ranks at most", option, text, transport::max_ranks));
  return ranks;
}

double read_flops(const std::string& text, const char* option) {
  if (const auto factor = factor_in(text, option)) return *factor;
  throw UsageError(fmt::format(
      "{} {}: give a factor such as 4x, as a trace does not tell how fast its hosts were", option, text));
}

void add_options(command_line::CommandLine& line, Options& options) {
  using model_command::add;
  line.add("TRACE", options.trace, "FILE", "what lbsp run --trace has written");
  add(line, "--rtt", options.changes.round_trip, read_round_trip, "T",
      "another round trip: 70ms, or 2x the recorded one");
  add(line, "--rate", options.changes.rate, read_rate, "R", "another rate of each rank: 50Mbit, or 2x");
  add(line, "--loss", options.changes.loss, read_loss, "P",
      "another loss of datagrams, one way, which lbsp counts: 10%, or 2x");
  add(line, "--flops", options.changes.flops, read_flops, "Fx", "hosts that compute faster: 4x");
  add(line, "-n", options.ranks, read_ranks, "N",
      "another number of ranks, by lbsp and pmm, of a ready program that did not verify");
  line.add_choice("--model", options.model, {"all", "lbsp", "critical-path", "pmm", "queueing"},
                  "whose estimate: all that apply, lbsp, critical-path, pmm or queueing");
  model_command::add_json(line, options.json);
}

std::optional<LossyEstimate> lossy_of(const trace_file::Trace& trace, const Options& options) {
  auto found = options.ranks ? lossy_estimate_on(*options.ranks, trace, options.changes)
                             : lossy_estimate(trace, options.changes);
  if (found) require_possible(found->seconds);
  if (found || (options.model != "lbsp" && !options.ranks)) return found;
  const Change& round_trip = options.changes.round_trip;
  if (round_trip != Change{} && !round_trip.is_factor && round_trip.value <= 0)
    throw UsageError("--rtt 0: lbsp predicts no superstep without a delay: give more, or another --model");
  throw UsageError("the trace has no network, as of ranks that share a host: give --rtt, --rate and --loss");
}

Longest longest_of(const trace_file::Trace& trace, const Changes& changes) {
  Longest out = longest_path(trace, changes);
  require_possible(out.path.seconds);
  return out;
}

bool is_asked(const Options& options, const char* model) {
  return options.model == model || options.model == "all";
}

std::optional<PmmEstimate> pmm_of(const trace_file::Trace& trace, const Options& options) {
  if (options.model == "all" && options.ranks && !has_mesh(trace, *options.ranks)) return std::nullopt;
  const auto found = pmm_estimate(trace, options.changes, options.ranks);
  if (found) require_possible(found->seconds);
  if (!found && options.model == "pmm")
    throw UsageError(
        "--model pmm is of matmul --algorithm fox, of an order that is a multiple of the mesh's side, over a network: "
        "record such a run, or use another model");
  return found;
}

std::optional<QueueingEstimate> queueing_of(const trace_file::Trace& trace, const Options& options) {
  const auto found = queueing_estimate(trace, options.changes);
  if (found) require_possible(found->seconds);
  if (!found && options.model == "queueing")
    throw UsageError(
        "--model queueing needs a superstep, processor time and a rate between hosts, which the trace has not: give "
        "--rate, or record another run");
  return found;
}

Answers answers_of(const trace_file::Trace& trace, const Options& options) {
  Answers out;
  out.ranks = options.ranks;
  if (is_asked(options, "lbsp")) {
    out.lossy = lossy_of(trace, options);
    out.without_network = !out.lossy;
  }
  if (is_asked(options, "pmm")) out.pmm = pmm_of(trace, options);
  out.without_mesh =
      options.model == "all" && options.ranks && !out.pmm && pmm_estimate(trace, options.changes, {});
  if (options.ranks) return out;
  if (is_asked(options, "critical-path")) out.longest = longest_of(trace, options.changes);
  if (is_asked(options, "queueing")) out.queueing = queueing_of(trace, options);
  return out;
}

/// Throws UsageError for a multiple of what the trace has not: that would change nothing.
void require_measured(const trace_file::Trace& trace, const Changes& changes) {
  const auto refuse = [](const char* option, double factor, const char* what, const char* example) {
    throw UsageError(
        fmt::format("{} {:g}x: the trace has no {}, as of ranks that share a host: give one, such as {}",
                    option, factor, what, example));
  };
  bool round_trip = false;
  bool rate = false;
  for (const trace_file::End& end : trace.ends) {
    round_trip = round_trip || end.network.round_trip > 0;
    rate = rate || end.network.rate > 0 || end.network.bandwidth > 0;
  }
  if (changes.round_trip != Change{} && changes.round_trip.is_factor && !round_trip)
    refuse("--rtt", changes.round_trip.value, "round trip", "20ms");
  if (changes.rate != Change{} && changes.rate.is_factor && !rate)
    refuse("--rate", changes.rate.value, "rate", "100Mbit");
}

void estimate_trace(const trace_file::Trace& trace, const Options& options) {
  require_measured(trace, options.changes);
  if (options.ranks && (options.model == "critical-path" || options.model == "queueing"))
    throw UsageError(fmt::format(
        "-n: {} estimates the run that was, not one of another size: use --model lbsp, or pmm for Fox's product",
        options.model == "queueing" ? "one trace's queueing network" : "the longest path"));
  const Answers answers = answers_of(trace, options);
  model_command::answer(options.json, text_of(trace, answers), json_of(trace, answers));
}

void estimate_run(const nlohmann::json& file, const Options& options) {
  const Json json = estimate_described(file, options.trace);
  const auto seconds = json.at("seconds").get<double>();
  require_possible(seconds);
  const std::string text = fmt::format("On machines of its own this run takes {}.\n", time_text(seconds));
  model_command::answer(options.json, text, json);
}

/// Nothing, if it is no JSON, or longer than a described run may be.
nlohmann::json parsed(const std::string& text) {
  return text.size() > longest_description ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
}

}  // namespace

int run_estimate(const std::vector<std::string>& words) {
  Options options;
  command_line::CommandLine line("lbsp estimate",
                                 "What a recorded run takes on machines and a network of its own.", footer);
  add_options(line, options);
  if (!line.parse(words)) return 0;
  if (options.trace.empty()) throw UsageError("no trace: give the file that lbsp run --trace has written");
  command_line::require_other_file("--json", options.json, options.trace);
  const std::string text = command_line::read_text_file(options.trace, "the trace", longest_trace);
  const command_line::MemoryEnd guard;
  command_line::require_shallow(text, options.trace);
  // The first line of a trace is an object of its own.
  const nlohmann::json first = parsed(text.substr(0, text.find('\n')));
  const bool is_trace = first.is_object() && first.contains("superstep");
  const nlohmann::json whole = is_trace ? nlohmann::json() : parsed(text);
  if (is_described_run(whole)) {
    if (options.changes != Changes{} || options.ranks)
      throw UsageError(
          fmt::format("{} describes a run by itself, without hosts and a network that options could "
                      "change: change the description",
                      options.trace));
    estimate_run(whole, options);
    return 0;
  }
  estimate_trace(trace_file::parse_trace(text, options.trace), options);
  return 0;
}

}  // namespace lbsp::estimate
