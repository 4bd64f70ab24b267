#include "tools/estimate/recorded_program.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

#include "tools/model_command/arguments.hpp"
#include "transport/error.hpp"

namespace lbsp::estimate {
namespace {

constexpr std::array ready{"matmul", "bitonic_sort", "fft2d", "jacobi"};

struct RecordedOptions {
  tune::AlgorithmOptions of_algorithm;
  bool verifies = true;
};

RecordedOptions read_options(const std::string& name, const std::vector<std::string>& words) {
  RecordedOptions read{.of_algorithm = {.name = name}};
  tune::AlgorithmOptions& options = read.of_algorithm;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] {
      if (i + 1 == words.size()) throw UsageError(fmt::format("-n: {} has no value in the trace", words[i]));
      const std::string option = words[i++];
      return model_command::read_whole(words[i], option.c_str());
    };
    if (words[i] == "--size") {
      options.size = value();
    } else if (words[i] == "--iterations") {
      options.sweeps = value();
    } else if (words[i] == "--halo") {
      options.halo = value();
    } else if (words[i] == "--algorithm" && i + 1 < words.size() && words[i + 1] != "summa") {
      if (words[++i] == "fox") options.name = "fox";
    } else if (words[i] == "--seed") {
      ++i;
    } else if (words[i] == "--no-verify") {
      read.verifies = false;
    } else {
      throw UsageError(
          fmt::format("-n: what {} {} does on another number of ranks is not known: record it with "
                      "--size alone",
                      name, words[i]));
    }
  }
  return read;
}

tune::Algorithm algorithm_of(const trace_file::Trace& trace) {
  const std::string name = trace.program.substr(trace.program.rfind('/') + 1);
  if (std::ranges::find(ready, name) == ready.end())
    throw UsageError(fmt::format(
        "-n: the trace is of {}, and only the ready programs are known on another number of ranks: leave it out",
        trace.program));
  const auto [options, verifies] = read_options(name, trace.arguments);
  if (options.size == 0)
    throw UsageError("-n: the program's --size is not in the trace: record it with --size");
  if (verifies)
    throw UsageError(
        "-n: the program also verified its answer, and that is not in the model: record it with "
        "--no-verify");
  return tune::Algorithm(options);
}

}  // namespace

RecordedProgram::RecordedProgram(const trace_file::Trace& trace)
    : recorded_ranks_(trace.ranks()), algorithm_(algorithm_of(trace)) {}

model::tuning::Program RecordedProgram::on(double ranks, double recorded_seconds) const {
  const std::vector<double> admissible = algorithm_.admissible_nodes(ranks);
  if (admissible.empty() || admissible.back() != ranks)
    throw UsageError(fmt::format("-n {}: {} does not run on so many: give {}", ranks, algorithm_.command(),
                                 algorithm_.nearest_nodes(ranks, std::numeric_limits<double>::infinity())));
  const double at_one_a_second = algorithm_.on(recorded_ranks_, 1).parallel_seconds;
  if (recorded_seconds <= 0 || at_one_a_second <= 0)
    throw UsageError("-n: the trace has no computing to tell how fast its hosts are: record a larger run");
  return algorithm_.on(ranks, at_one_a_second / recorded_seconds);
}

}  // namespace lbsp::estimate
