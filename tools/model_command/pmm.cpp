#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/pmm/prediction.hpp"
#include "tools/calibration/recorded_product.hpp"
#include "tools/calibration/trace_list.hpp"
#include "tools/model_command/answer.hpp"
#include "tools/model_command/model_command.hpp"
#include "transport/error.hpp"

namespace lbsp::model_command {
namespace {

using model::pmm::Broadcast;
using model::pmm::Overlap;

constexpr const char* pmm_footer =
    R"(N processes, a square number, hold a mesh; M is a multiple of the mesh's side. With --runs the rates are those for
which the formula comes nearest to these runs. docs/predictors.md has the formulas.

Example: lbsp run -n 4 --trace a.trace -- matmul --algorithm fox --size 512
Example: lbsp model pmm --runs a.trace,b.trace,c.trace --order 2048
Example: lbsp model pmm --broadcast flat --overlap average --nodes 25 --order 20000 --element-rate 8.87e6 --flops 8.64e9 --schedule 15ms --json -)";

struct PmmOptions {
  Broadcast broadcast = Broadcast::flat;
  Overlap overlap = Overlap::average;
  std::optional<double> nodes;
  std::optional<double> order;
  std::optional<double> element_rate;
  std::optional<double> flops;
  double schedule = 0;
  double startup = 0;
  std::string runs;
  std::string json;
};

Broadcast read_broadcast(const std::string& text, const char* option) {
  if (text == "flat") return Broadcast::flat;
  if (text == "binomial") return Broadcast::binomial;
  if (text == "pipeline") return Broadcast::pipeline;
  throw UsageError(fmt::format("{} {}: use flat, binomial or pipeline", option, text));
}

Overlap read_overlap(const std::string& text, const char* option) {
  if (text == "average") return Overlap::average;
  if (text == "barrier") return Overlap::barrier;
  throw UsageError(fmt::format("{} {}: use average or barrier", option, text));
}

void add_options(command_line::CommandLine& line, PmmOptions& options) {
  add(line, "--broadcast", options.broadcast, read_broadcast, "NAME",
      "how a block reaches its row: flat (as Dryad sends; default), binomial (as MPI does) or pipeline");
  add(line, "--overlap", options.overlap, read_overlap, "NAME",
      "whether processes drift apart: average (as in the paper; default), or barrier (in supersteps)");
  add(line, "--nodes", options.nodes, read_whole, "N", "number of processes: a square");
  add(line, "--order", options.order, read_whole, "M", "rows of the matrices");
  add(line, "--element-rate", options.element_rate, read_positive, "R",
      "numbers of 8 bytes that a process receives in a second: 8.87e6");
  add(line, "--flops", options.flops, read_positive, "F", "operations per second of a process: 8.64e9");
  add(line, "--schedule", options.schedule, read_plain_seconds, "T",
      "time to schedule one task: 15ms or 0.015; default 0");
  add(line, "--startup", options.startup, read_plain_seconds, "T",
      "time before a block's first number arrives: 10ms or 0.01; default 0");
  line.add("--runs", options.runs, "LIST",
           "calibrate from these traces of matmul --algorithm fox: a.trace,b.trace,c.trace");
  for (const char* known :
       {"--broadcast", "--overlap", "--element-rate", "--flops", "--schedule", "--startup"})
    line.exclude("--runs", {known});
  add_json(line, options.json);
}

/// The products in the traces; throws UsageError for one that has none.
std::vector<calibration::RecordedProduct> products_in(const std::string& list) {
  const std::vector<std::string> names = calibration::names_in(list);
  std::vector<calibration::RecordedProduct> products;
  for (const trace_file::Trace& trace : calibration::read_traces(list, "--runs")) {
    const auto product = calibration::recorded_product(trace);
    if (!product)
      throw UsageError(fmt::format(
          "--runs: {} is not a trace of matmul --algorithm fox with --size, a multiple of the mesh's "
          "side: record one",
          names[products.size()]));
    products.push_back(*product);
  }
  return products;
}

std::string text_of(const model::pmm::Prediction& got) {
  return fmt::format(
      "communicate  {:.6g} s\ncompute      {:.6g} s\nschedule     {:.6g} s\ntotal        {:.6g} s\n"
      "efficiency   {:.6g}\noverhead     {:.6g}\n",
      got.communicate, got.compute, got.schedule, got.total, got.efficiency, got.overhead);
}

Json json_of(const model::pmm::Prediction& got) {
  return {{"communicate", number(got.communicate)}, {"compute", number(got.compute)},
          {"schedule", number(got.schedule)},       {"total", number(got.total)},
          {"efficiency", number(got.efficiency)},   {"overhead", number(got.overhead)}};
}

/// The runs that the rates come from, beside what the formula says of them, and a prediction with these rates if an
/// order is given.
void answer_calibrated(const PmmOptions& options) {
  const std::vector<calibration::RecordedProduct> products = products_in(options.runs);
  const model::pmm::Calibration found = calibration::calibrate(products);
  const model::pmm::Rates& rates = found.rates;
  std::string text = fmt::format(
      "element rate {:.6g} of 8 bytes a second\nflops        {:.6g} a second of a process\n"
      "start-up     {:.6g} s\n",
      rates.elements_per_second, rates.flops_per_second, rates.startup_seconds);
  Json runs = Json::array();
  for (std::size_t i = 0; i < products.size(); ++i) {
    const model::pmm::MeasuredRun& run = products[i].run;
    text += fmt::format("run          order {} on {}: {:.6g} s, error {:+.1f} %\n", run.order, run.nodes,
                        run.seconds, 100 * found.errors[i]);
    runs.push_back({{"nodes", count(run.nodes)},
                    {"order", count(run.order)},
                    {"seconds", run.seconds},
                    {"error", found.errors[i]}});
  }
  Json json = {{"element_rate", rates.elements_per_second},
               {"flops", rates.flops_per_second},
               {"startup", rates.startup_seconds},
               {"runs", runs}};
  if (options.order) {
    const double nodes = options.nodes.value_or(products.front().run.nodes);
    const auto got =
        model::pmm::predict(calibration::broadcast, calibration::overlap, nodes, *options.order, rates);
    const auto lossy = calibration::lossy_seconds(calibration::mean_network(products), nodes, *options.order,
                                                  rates.flops_per_second);
    const auto part = calibration::nine_of_ten_part(found);
    text += text_of(got) + interval_text("nine of ten  ", got.total, part) +
            (lossy ? fmt::format("lossy BSP    {:.6g} s\n", *lossy) : "");
    json.update(json_of(got));
    json["interval"] = interval_json(got.total, part);
    json["lossy_bsp"] = lossy ? Json(*lossy) : Json();
  }
  answer(options.json, text, json);
}

}  // namespace

void run_pmm(const Words& words) {
  PmmOptions options;
  command_line::CommandLine line("lbsp model pmm", "The time of a matrix product by Fox's algorithm.",
                                 pmm_footer);
  add_options(line, options);
  if (!line.parse(words)) return;
  if (!options.runs.empty()) return answer_calibrated(options);
  const model::pmm::Prediction got = model::pmm::predict(
      options.broadcast, options.overlap, given(options.nodes, "--nodes"), given(options.order, "--order"),
      {given(options.element_rate, "--element-rate"), given(options.flops, "--flops"), options.schedule,
       options.startup});
  answer(options.json, text_of(got), json_of(got));
}

}  // namespace lbsp::model_command
