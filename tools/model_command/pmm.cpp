#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/pmm/prediction.hpp"
#include "tools/model_command/answer.hpp"
#include "tools/model_command/model_command.hpp"
#include "transport/error.hpp"

namespace lbsp::model_command {
namespace {

using model::pmm::Broadcast;
using model::pmm::Overlap;

constexpr const char* footer =
    R"(N processes, a square number, hold a mesh; M is a multiple of the mesh's side. docs/predictors.md has the formulas.

Example: lbsp model pmm --broadcast flat --overlap average --nodes 25 --order 20000 --element-rate 8.87e6 --flops 8.64e9 --schedule 15ms --json -)";

struct Options {
  Broadcast broadcast = Broadcast::flat;
  Overlap overlap = Overlap::average;
  std::optional<double> nodes;
  std::optional<double> order;
  std::optional<double> element_rate;
  std::optional<double> flops;
  double schedule = 0;
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

void add_options(command_line::CommandLine& line, Options& options) {
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
  add_json(line, options.json);
}

}  // namespace

void run_pmm(const Words& words) {
  Options options;
  command_line::CommandLine line("lbsp model pmm", "The time of a matrix product by Fox's algorithm.",
                                 footer);
  add_options(line, options);
  if (!line.parse(words)) return;
  const model::pmm::Prediction got = model::pmm::predict(
      options.broadcast, options.overlap, given(options.nodes, "--nodes"), given(options.order, "--order"),
      {given(options.element_rate, "--element-rate"), given(options.flops, "--flops"), options.schedule});
  const std::string text = fmt::format(
      "communicate  {:.6g} s\ncompute      {:.6g} s\nschedule     {:.6g} s\ntotal        {:.6g} s\n"
      "efficiency   {:.6g}\noverhead     {:.6g}\n",
      got.communicate, got.compute, got.schedule, got.total, got.efficiency, got.overhead);
  answer(options.json, text,
         {{"communicate", number(got.communicate)},
          {"compute", number(got.compute)},
          {"schedule", number(got.schedule)},
          {"total", number(got.total)},
          {"efficiency", number(got.efficiency)},
          {"overhead", number(got.overhead)}});
}

}  // namespace lbsp::model_command
