#include "tools/programs/tasks/dataflow_arguments.hpp"

#include <cmath>
#include <fmt/format.h>

#include "lbsp/dataflow/run.hpp"
#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/whole_number.hpp"
#include "tools/programs/common_options.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::programs::tasks {
namespace {

constexpr auto dataflow_about =
    "Runs a program as a graph of tasks, which find their ranks themselves (L-HEFT), on any number of ranks:\n"
    "matmul multiplies two random matrices block by block, fft transforms random complex values in pieces, jacobi\n"
    "sweeps over a random grid in blocks of rows. Prints one line: sizes, tasks, time, what was sent, and the\n"
    "result's relative error against a single-process one.\n";
constexpr auto dataflow_examples =
    "Examples:\n"
    "  lbsp run -n 4 -- dataflow matmul --size 1024 --pieces 8 --verify\n"
    "  lbsp run -n 4 -- dataflow fft --size 65536 --pieces 64 --out spectrum.npy\n"
    "  lbsp run -n 4 -- dataflow jacobi --pieces 12 --iterations 10 --picture jacobi.dot && dot -Tsvg -O jacobi.dot\n";

constexpr command_line::CommandLine::Range points{1, std::uint64_t{1} << 32};
constexpr command_line::CommandLine::Range many{1, 4096};

/// Such a graph takes some hundred MB, and a second to make.
constexpr double most_tokens = 1e6;

double tokens_of(const DataflowArguments& arguments) {
  const auto pieces = static_cast<double>(arguments.pieces);
  switch (arguments.program) {
    case DataflowProgram::matmul:
      return pieces * pieces * pieces;
    case DataflowProgram::fft:
      return pieces * (std::log2(pieces) + 1);
    case DataflowProgram::jacobi:
      break;
  }
  return pieces * static_cast<double>(arguments.iterations + 1);
}

/// What `parse` reads of an option's text; `usual` if it is not given.
template <class Value, class Parse>
Value value_of(const char* option, const std::string& text, Value usual, Parse parse) {
  if (text.empty()) return usual;
  try {
    return parse(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("dataflow: {}: {}: see dataflow --help", option, error.what()));
  }
}

void require_different(const char* option, const std::string& file, const char* other_option,
                       const std::string& other) {
  if (command_line::is_same_file(file, other))
    throw UsageError(
        fmt::format("dataflow: {} and {} both write {}: give two names", option, other_option, file));
}

std::size_t usual_size(DataflowProgram program) {
  if (program == DataflowProgram::fft) return std::size_t{1} << 20;
  return program == DataflowProgram::jacobi ? 512 : 1024;
}

std::size_t levels_in(const std::string& text) {
  if (text == "auto") return dataflow::RunOptions::planned;
  if (text.find_first_not_of("0123456789") != std::string::npos)
    throw UsageError(fmt::format("--replicate {}: give a whole number of levels, or auto", text));
  return command_line::whole_number(text, "--replicate", std::size_t{0}, std::size_t{1'000'000});
}

/// What means something only when all options are known.
struct Words {
  std::string program;
  std::optional<std::uint64_t> size;
  std::optional<std::uint64_t> sweeps;
  std::string spare;
  std::string pause;
};

void add_problem(command_line::CommandLine& line, Words& words, DataflowArguments& parsed) {
  line.add_choice("program", words.program, {"matmul", "fft", "jacobi"}, "what to run");
  line.add_whole("--size", words.size, points,
                 "N: rows of the matrices [1024], points to transform [1048576], or rows of the grid [512]");
  line.add_whole("--pieces", parsed.pieces, many,
                 "blocks on a side of each matrix, or pieces; of fft a power of two that divides N");
  line.add_whole("--iterations", words.sweeps, {1, 1'000'000}, "sweeps of jacobi [20]");
  line.add_whole("--seed", parsed.seed,
                 "seed of the random values, which are the same on any number of ranks");
}

void add_files(command_line::CommandLine& line, DataflowArguments& parsed) {
  line.add("--out", parsed.out, "FILE", "write the result to this .npy file");
  line.add("--picture", parsed.picture, "FILE",
           "write the graph and who ran what to this file, in the language of Graphviz");
  line.add("--timeline", parsed.timeline, "FILE",
           "write to this .csv file when each level ended, as they do");
}

void add_run(command_line::CommandLine& line, Words& words, DataflowArguments& parsed) {
  line.add(
      "--replicate", [&parsed](const std::string& text) { parsed.replicate_every = levels_in(text); }, "N",
      "where the job goes on without lost ranks: what every so many levels write goes to a second rank; auto: "
      "as often as is best by what that and the levels take, and lbsp run --mtbf [0: none]");
  line.add("--spare", words.spare, "SIZE",
           "there: of streams that no level reads any more a rank keeps so many bytes [1GiB]");
  line.add("--pause", words.pause, "TIME", "each task takes so much longer, asleep: to try out plans");
  add_verify(line, parsed.verify,
             "compare with a single-process result; the default where that takes seconds");
}

DataflowProgram program_called(const std::string& name) {
  if (name.empty()) throw UsageError("dataflow: what to run is missing: give matmul, fft or jacobi");
  if (name == "fft") return DataflowProgram::fft;
  return name == "jacobi" ? DataflowProgram::jacobi : DataflowProgram::matmul;
}

void settle(const Words& words, DataflowArguments& parsed) {
  parsed.program = program_called(words.program);
  if (words.sweeps && parsed.program != DataflowProgram::jacobi)
    throw UsageError(
        fmt::format("dataflow: --iterations is for jacobi, not for {}: see dataflow --help", words.program));
  parsed.iterations = words.sweeps.value_or(parsed.iterations);
  parsed.spare_bytes = value_of("--spare", words.spare, parsed.spare_bytes, transport::parse_size);
  parsed.pause = value_of("--pause", words.pause, parsed.pause, transport::parse_duration);
  parsed.size = words.size.value_or(usual_size(parsed.program));
}

void require_possible(const DataflowArguments& parsed) {
  require_different("--out", parsed.out, "--picture", parsed.picture);
  require_different("--out", parsed.out, "--timeline", parsed.timeline);
  require_different("--picture", parsed.picture, "--timeline", parsed.timeline);
  if (parsed.program != DataflowProgram::fft && parsed.size > largest_side)
    throw UsageError("dataflow: --size: a matrix or grid has at most 1000000 rows: see dataflow --help");
  if (tokens_of(parsed) <= most_tokens) return;
  throw UsageError(fmt::format(
      "dataflow: {:.0f} tokens, and a graph has at most {:.0f}: give fewer --pieces or --iterations",
      tokens_of(parsed), most_tokens));
}

}  // namespace

bool DataflowArguments::verifies() const {
  const auto n = static_cast<double>(size);
  switch (program) {
    case DataflowProgram::matmul:
      return verify.value_or(n * n * n <= 2048. * 2048. * 2048.);
    case DataflowProgram::fft:
      return verify.value_or(n <= 16e6);
    case DataflowProgram::jacobi:
      break;
  }
  return verify.value_or(n * n * static_cast<double>(iterations) <= 2e9);
}

std::optional<std::string> parse_dataflow(int count, const char* const* words, DataflowArguments& parsed) {
  command_line::CommandLine line("dataflow", dataflow_about, dataflow_examples);
  know_lbsp_run(line);
  Words read;
  add_problem(line, read, parsed);
  add_files(line, parsed);
  add_run(line, read, parsed);
  if (auto help = line.parse_silently(count, words)) return help;
  settle(read, parsed);
  require_possible(parsed);
  return std::nullopt;
}

}  // namespace lbsp::programs::tasks
