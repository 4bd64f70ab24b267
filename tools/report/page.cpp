#include "tools/report/page.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

#include "model/superstep/prediction.hpp"
#include "tools/estimate/model_estimates.hpp"
#include "tools/estimate/trace_estimate.hpp"
#include "tools/report/drawings.hpp"
#include "tools/report/maps.hpp"
#include "tools/report/supersteps.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::report {
namespace {

using model::critical_path::Estimate;
using trace_file::Trace;

constexpr std::size_t slowest_shown = 20;

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --line: #bbb; --computing: #2f6fb5; --waiting: #d9a13b; --path: #b3202c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #161616; --line: #555; --computing: #6aa5e6; --waiting: #80601f; --path: #ffb3ba; }
}
body { font: 15px/1.45 sans-serif; color: var(--ink); background: var(--paper); max-width: 1100px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; } td, th { padding: .15em .7em; border-bottom: 1px solid var(--line); text-align: right; }
section { overflow-x: auto; }
td { white-space: nowrap; } td.words { white-space: normal; } td.why { min-width: 16em; } td.words, th.words { text-align: left; } caption { text-align: left; padding: .3em 0; }
svg { width: 100%; min-width: 600px; height: auto; } svg text { fill: var(--ink); font-size: 13px; } svg text.end { text-anchor: end; }
.computing { fill: var(--computing); } .waiting { fill: var(--waiting); } .path { fill: none; stroke: var(--path); stroke-width: 2; }
.predicted { stroke: var(--path); stroke-width: 2; }
.key { display: inline-block; width: 1em; height: .7em; margin: 0 .3em 0 1em; }
.map td { border: 1px solid var(--line); }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 12px; margin: 0; } td, th { padding: .1em .5em; } svg text { font-size: 17px; }
  section { overflow: visible; } svg { min-width: 0; } h2, caption { break-after: avoid; } tr, svg, .map { break-inside: avoid; }
}
</style>
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// The program and its arguments, as far as a line goes.
std::string command_of(const Trace& trace) {
  constexpr std::size_t longest = 300;
  std::string out = trace.program;
  for (const std::string& word : trace.arguments)
    out += ' ' + word;
  if (out.size() > longest) out = out.substr(0, longest) + " …";
  return out;
}

/// A figure and its unit stay on one line.
std::string unbroken(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool in_figure = text[i] == ' ' && i > 0 &&
                           std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0 &&
                           (text.compare(i + 1, 2, "ms") == 0 || text.compare(i + 1, 2, "us") == 0 ||
                            text.compare(i + 2, 2, "iB") == 0);
    out += in_figure ? "&nbsp;" : std::string(1, text[i]);
  }
  return out;
}

std::string unfinished_text(const Trace& trace) {
  if (trace.finished) return "";
  return ", <strong>not finished</strong>" + (trace.reason.empty() ? "" : ": " + escaped(trace.reason));
}

std::string summary(const Trace& trace, const trace_file::TimeLines& lines) {
  const double worst = *std::ranges::max_element(lines.errors);
  const std::string name = escaped(trace.program.substr(trace.program.rfind('/') + 1));
  return fmt::format("<title>lbsp: {0}</title>\n</head>\n<body>\n<h1>{0}</h1>\n<p><code>{1}</code></p>\n",
                     name, escaped(command_of(trace))) +
         fmt::format(
             "<p>{} over {}, {}, {}{}. {}</p>\n", counted(trace.ranks(), "rank"), escaped(trace.backend),
             counted(trace.supersteps(), "superstep"), time_text(trace.measured()), unfinished_text(trace),
             std::isfinite(worst) ? fmt::format("The ranks' clocks are aligned within {}.", time_text(worst))
                                  : "The ranks' clocks are not aligned: each counts from its own start.");
}

std::string predictor(const char* what, double measured, double seconds,
                      const std::optional<estimate::Interval>& interval) {
  return fmt::format(
      "<tr><td class=\"words\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", what, time_text(measured),
      time_text(seconds),
      interval ? fmt::format("{} to {}", time_text(interval->from), time_text(interval->to)) : "");
}

/// What the plans of all supersteps that had one said, beside what these took.
std::string planned_communication(const std::vector<Superstep>& supersteps) {
  double predicted = 0;
  double measured = 0;
  double mean = 0;
  double variance = 0;
  bool all_calibrated = true;
  for (const Superstep& superstep : supersteps) {
    if (!superstep.predicted) continue;
    predicted += *superstep.predicted;
    measured += superstep.communicate;
    all_calibrated = all_calibrated && superstep.calibrated;
    if (!superstep.calibrated) continue;
    mean += superstep.calibrated->mean;
    variance += superstep.calibrated->deviation * superstep.calibrated->deviation;
  }
  if (!(predicted > 0)) return "";
  std::optional<estimate::Interval> interval;
  if (all_calibrated)
    interval = estimate::nine_of_ten(mean, std::sqrt(variance), model::superstep::usual_error * mean);
  return predictor("communication of the supersteps with a plan", measured, all_calibrated ? mean : predicted,
                   interval);
}

const char* words_of(std::string_view model) {
  if (model == "lbsp") return "the run over a network that loses datagrams (lossy BSP)";
  if (model == "critical-path") return "the run on machines of its own (longest path)";
  if (model == "pmm") return "the run by the formula of Fox's product";
  return "the run as a closed network of queues";
}

std::string predictors(const Trace& trace, const std::vector<Superstep>& supersteps,
                       const estimate::Answers& answers) {
  std::string out =
      "<section><h2>Measured and estimated</h2>\n<table>\n<tr><th class=\"words\">what</th><th>measured</th><th>by the "
      "model</th><th>nine of ten runs</th></tr>\n";
  const std::vector<estimate::ModelEstimate> estimates = estimates_in(answers);
  if (estimates.empty())
    out +=
        "<tr><td class=\"words\" colspan=\"4\">no model knows a run of which a rank has told nothing</td></tr>\n";
  for (const estimate::ModelEstimate& each : estimates)
    out += predictor(words_of(each.model), trace.measured(), each.seconds, each.interval);
  return out + planned_communication(supersteps) + "</table></section>\n";
}

std::string ranks_table(const Trace& trace, const Estimate& found) {
  std::string out =
      "<section><h2>Ranks</h2>\n<table>\n<tr><th>rank</th><th class=\"words\">host</th><th>computing</th><th>without the "
      "processor</th><th>network thread</th><th>waiting</th><th>taking apart</th><th>slack</th><th>loss</th><th>round trip</th><th>resent</th>"
      "</tr>\n";
  for (std::size_t rank = 0; rank < trace.steps.size(); ++rank) {
    double compute = 0;
    double cpu = 0;
    double communicate = 0;
    double waiting = 0;
    std::uint64_t resent = 0;
    for (const trace_file::Step& step : trace.steps[rank]) {
      compute += step.compute;
      cpu += step.cpu;
      communicate += step.communicate;
      waiting += step.waiting;
      resent += step.resent;
    }
    const trace_file::End& end = trace.ends[rank];
    if (!end.told && trace.steps[rank].empty()) {
      out += fmt::format(
          "<tr><td>{}</td><td class=\"words\">{}</td><td class=\"words\" colspan=\"9\">was lost and has told nothing</td></tr>\n",
          rank, escaped(end.host));
      continue;
    }
    out += fmt::format(
        "<tr><td>{}</td><td class=\"words\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2f} "
        "%</td><td>{}</td><td>{}</td></tr>\n",
        rank, escaped(end.host), time_text(compute), time_text(std::max(0.0, compute - cpu)),
        end.network_cpu ? time_text(*end.network_cpu) : "", time_text(waiting),
        time_text(std::max(0.0, communicate - waiting)),
        rank < found.slack.size() ? time_text(found.slack[rank]) : "", 100 * end.network.loss,
        end.network.round_trip > 0 ? time_text(end.network.round_trip) : "", resent);
  }
  return out + "</table></section>\n";
}

std::string slowest(std::vector<Superstep> supersteps) {
  const std::size_t shown = std::min(slowest_shown, supersteps.size());
  std::ranges::partial_sort(supersteps, supersteps.begin() + static_cast<std::ptrdiff_t>(shown),
                            std::ranges::greater(), &Superstep::seconds);
  supersteps.resize(shown);
  std::string out =
      "<section><h2>The slowest supersteps</h2>\n<table>\n<tr><th>superstep</th><th>time</th><th>communication</th>"
      "<th>predicted</th><th>nine of ten</th><th class=\"words\">why</th></tr>\n";
  for (const Superstep& superstep : supersteps) {
    const std::string number =
        superstep.supersteps == 1
            ? fmt::format("{}", superstep.first)
            : fmt::format("{} to {}", superstep.first, superstep.first + superstep.supersteps - 1);
    const auto& expected = superstep.calibrated;
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"words why\">{}</td></tr>\n",
        number, time_text(superstep.seconds), time_text(superstep.communicate),
        superstep.predicted ? time_text(*superstep.expected()) : "",
        expected ? fmt::format("{} to {}", time_text(expected->from), time_text(expected->to)) : "",
        unbroken(superstep.reason));
  }
  return out + "</table></section>\n";
}

}  // namespace

std::string page_of(const Trace& trace) {
  if (trace.supersteps() == 0) throw UsageError("a run without a superstep: there is nothing to show");
  const trace_file::TimeLines lines = trace_file::align(trace);
  const std::vector<Superstep> supersteps = supersteps_of(trace, lines);
  // No model knows a run of which a rank has told nothing.
  const bool all_told = std::ranges::all_of(trace.ends, &trace_file::End::told);
  const estimate::Answers answers = all_told ? estimate::answers_as_recorded(trace) : estimate::Answers{};
  const Estimate found = answers.longest ? answers.longest->path : Estimate{};
  std::string out = head + summary(trace, lines) + predictors(trace, supersteps, answers);
  out +=
      "<section><h2>Time line</h2>\n<p><span class=\"key\" style=\"background: var(--computing)\"></span>computing"
      "<span class=\"key\" style=\"background: var(--waiting)\"></span>waiting for messages"
      "<span class=\"key\" style=\"background: var(--path)\"></span>longest path</p>\n";
  out += time_line(lines, found) + "</section>\n" + ranks_table(trace, found) + slowest(supersteps);
  out +=
      "<section><h2>Communication, superstep by superstep</h2>\n<p><span class=\"key\" style=\"background: "
      "var(--waiting)\"></span>measured<span class=\"key\" style=\"background: var(--path)\"></span>predicted, with what nine "
      "of ten take: by the plan, and what the hosts added to earlier supersteps</p>\n" +
      measured_and_predicted(supersteps) + "</section>\n";
  out +=
      "<section><h2>How long supersteps took</h2>\n" + histogram_of_supersteps(supersteps) + "</section>\n";
  out +=
      "<section><h2>How long communication took</h2>\n<p><span class=\"key\" style=\"background: var(--path)\"></span>"
      "what the plan of the middle superstep says: 5 %, the mean and 95 %</p>\n" +
      histogram_of_communication(supersteps) + "</section>\n" + map_of_bytes(trace) + map_of_losses(trace);
  return out + "</body>\n</html>\n";
}

}  // namespace lbsp::report
