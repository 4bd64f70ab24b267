#include "tools/estimate/estimate_command.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/command_line/command_line.hpp"
#include "tools/command_line/text_file.hpp"
#include "tools/estimate/described_run.hpp"
#include "tools/estimate/path_json.hpp"
#include "tools/estimate/trace_estimate.hpp"
#include "tools/model_command/answer.hpp"
#include "tools/model_command/arguments.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::estimate {
namespace {

using model::critical_path::Kind;
using model::critical_path::Rules;
using model_command::Json;

constexpr std::size_t most_bytes = std::size_t{2} << 30;
constexpr double most_factor = 1e9;

constexpr const char* footer =
    R"(TRACE is what lbsp run --trace TRACE has written. The estimate is the longest path through the run: the processor
time that each rank used, whatever else its host did, and for each message half of the round trip, and its bytes at the
best rate at which a message arrived. Messages between ranks of one host count for nothing. docs/trace.md says more.

Example: lbsp run -n 4 --trace fft.trace -- fft2d --size 2048 && lbsp estimate fft.trace
Example: lbsp estimate fft.trace --rtt 2x --rate 50Mbit --flops 4x --json -)";

struct Options {
  std::string trace;
  Changes changes;
  std::string model = "all";
  std::string json;
};

/// The factor in `2x`; none if it is no factor.
std::optional<double> factor_in(const std::string& text, const char* option) {
  if (!text.ends_with('x')) return std::nullopt;
  const double factor = model_command::read_positive(text.substr(0, text.size() - 1), option);
  if (factor < 1 / most_factor || factor > most_factor)
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
  add(line, "--rate", options.changes.rate, read_rate, "R", "another rate of messages: 50Mbit, or 2x");
  add(line, "--flops", options.changes.flops, read_flops, "Fx", "hosts that compute faster: 4x");
  line.add_choice("--model", options.model, {"all", "critical-path"},
                  "whose estimate: all, or critical-path");
  model_command::add_json(line, options.json);
}

std::string time_text(double seconds) {
  if (seconds > 1e8) return fmt::format("{:.3g} s", seconds);
  return transport::format_duration(transport::Duration{static_cast<transport::Duration::rep>(seconds * 1e9)},
                                    3);
}

/// The sum of the path's stretches of one kind.
double part_of(const model::critical_path::Estimate& found, Kind kind) {
  double out = 0;
  for (const auto& stretch : found.path)
    if (stretch.kind == kind) out += stretch.seconds;
  return out;
}

std::string text_of(const trace_file::Trace& trace, const model::critical_path::Estimate& found,
                    const std::optional<Interval>& interval) {
  std::string text = fmt::format(
      "{} on {} over {}, {}{}\nmeasured       {}\ncritical path  {}{}\n"
      "On machines of its own this run takes {}, of which {} computing and {} in messages.\n",
      trace.program, counted(trace.ranks(), "rank"), trace.backend, counted(trace.supersteps(), "superstep"),
      trace.finished ? "" : ", NOT FINISHED", time_text(trace.measured()), time_text(found.seconds),
      interval ? fmt::format(", from {} to {} in nine of ten runs", time_text(interval->from),
                             time_text(interval->to))
               : "",
      time_text(found.seconds), time_text(part_of(found, Kind::compute)),
      time_text(part_of(found, Kind::message)));
  if (trace.supersteps() == 0)
    text += "No superstep was finished on all ranks: this is only what ranks did outside of supersteps.\n";
  std::vector<double> computing(found.ranks, 0);
  for (const auto& stretch : found.path)
    if (stretch.kind == Kind::compute) computing[stretch.rank] += stretch.seconds;
  for (std::size_t rank = 0; rank < found.ranks; ++rank)
    text += fmt::format("  rank {:<5} computes for {} of the path, slack {}\n", rank,
                        time_text(computing[rank]), time_text(found.slack[rank]));
  return text;
}

/// Throws UsageError for what no run takes.
void require_possible(double seconds) {
  if (!(seconds <= trace_file::most_seconds))
    throw UsageError(
        fmt::format("the estimate is {:.3g} s, and more than {:g} s cannot be: give another "
                    "network or other hosts, or see what the file says of them",
                    seconds, trace_file::most_seconds));
}

void estimate_trace(const trace_file::Trace& trace, const Options& options) {
  Rules rules;
  rules.cost = message_cost(trace, options.changes);
  const auto found = model::critical_path::estimate(supersteps_of(trace, options.changes), rules);
  require_possible(found.seconds);
  const auto interval = interval_of(found);
  std::vector<std::uint64_t> numbers;
  for (const trace_file::Step& step : trace.steps.front())
    numbers.push_back(step.first);
  numbers.push_back(trace.supersteps());
  const Json json = {{"measured", trace.measured()},
                     {"estimates",
                      {{{"model", "critical-path"},
                        {"seconds", found.seconds},
                        {"interval", interval ? Json{interval->from, interval->to} : Json()}}}},
                     {"critical_path", path_json(found, numbers)},
                     {"slack", slack_json(found.slack)}};
  model_command::answer(options.json, text_of(trace, found, interval), json);
}

void estimate_run(const nlohmann::json& file, const Options& options) {
  const Json json = estimate_described(file, options.trace);
  const auto seconds = json.at("seconds").get<double>();
  require_possible(seconds);
  const std::string text = fmt::format("On machines of its own this run takes {}.\n", time_text(seconds));
  model_command::answer(options.json, text, json);
}

}  // namespace

int run_estimate(const std::vector<std::string>& words) {
  Options options;
  command_line::CommandLine line("lbsp estimate",
                                 "What a recorded run takes on machines and a network of its own.", footer);
  add_options(line, options);
  if (!line.parse(words)) return 0;
  if (options.trace.empty()) throw UsageError("no trace: give the file that lbsp run --trace has written");
  const std::string text = command_line::read_text_file(options.trace, "the trace", most_bytes);
  // The first line of a trace is an object of its own.
  const nlohmann::json first = nlohmann::json::parse(text.substr(0, text.find('\n')), nullptr, false);
  const bool is_trace = first.is_object() && first.contains("superstep");
  const nlohmann::json whole = is_trace ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
  if (is_described_run(whole)) {
    estimate_run(whole, options);
    return 0;
  }
  estimate_trace(trace_file::parse_trace(text, options.trace), options);
  return 0;
}

}  // namespace lbsp::estimate
