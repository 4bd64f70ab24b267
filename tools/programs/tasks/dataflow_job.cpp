#include "tools/programs/tasks/dataflow_job.hpp"

#include <complex>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms/fft_tokens.hpp"
#include "algorithms/hashed_matrix.hpp"
#include "algorithms/jacobi.hpp"
#include "algorithms/jacobi_tokens.hpp"
#include "algorithms/local_fft.hpp"
#include "algorithms/local_product.hpp"
#include "algorithms/matmul_tokens.hpp"
#include "algorithms/verification.hpp"
#include "lbsp/dataflow/picture.hpp"
#include "lbsp/dataflow/run.hpp"
#include "lbsp/keeper.hpp"
#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/short_number.hpp"
#include "tools/programs/memory.hpp"
#include "tools/programs/npy.hpp"
#include "tools/programs/refutation.hpp"
#include "tools/programs/slowest.hpp"
#include "tools/programs/tasks/dataflow_timeline.hpp"
#include "transport/error.hpp"

namespace lbsp::programs::tasks {
namespace {

using algorithms::Verification;
using command_line::AtomicFile;
using dataflow::RunRecord;

/// What differs between the three: `Value` of the result, its shape, and how it is computed alone.
struct Product {
  using Value = double;
  algorithms::ProductTokens tokens;

  explicit Product(const DataflowArguments& arguments)
      : tokens{arguments.size, arguments.pieces, arguments.seed} {}
  dataflow::Graph graph() const { return algorithms::matmul_graph(tokens); }
  std::vector<Value> result(const RunRecord& record) const {
    return algorithms::matmul_result(record, tokens);
  }
  std::vector<std::size_t> shape() const { return {tokens.size, tokens.size}; }
  std::string sizes() const {
    return fmt::format("matmul N={} in {}x{} blocks", tokens.size, tokens.blocks, tokens.blocks);
  }
  Verification verify(const std::vector<Value>& found) const {
    std::vector<Value> alone(found.size());
    algorithms::add_product<Value>({tokens.size, tokens.size, tokens.size}, factor(0), factor(1), alone);
    return algorithms::verify_product<Value>(found, alone, tokens.size);
  }

 private:
  std::vector<Value> factor(std::uint64_t number) const {
    const algorithms::HashedMatrix matrix(tokens.seed, number);
    std::vector<Value> values;
    for (std::size_t i = 0; i < tokens.size; ++i)
      for (std::size_t j = 0; j < tokens.size; ++j)
        values.push_back(matrix.at<Value>(i, j));
    return values;
  }
};

struct Transform {
  using Value = std::complex<double>;
  algorithms::TransformTokens tokens;

  explicit Transform(const DataflowArguments& arguments)
      : tokens{arguments.size, arguments.pieces, arguments.seed} {}
  dataflow::Graph graph() const { return algorithms::fft_graph(tokens); }
  std::vector<Value> result(const RunRecord& record) const { return algorithms::fft_result(record, tokens); }
  std::vector<std::size_t> shape() const { return {tokens.points}; }
  std::string sizes() const { return fmt::format("fft N={} in {} pieces", tokens.points, tokens.pieces); }
  Verification verify(const std::vector<Value>& found) const {
    std::vector<Value> alone = tokens.input();
    algorithms::LocalFft<double>(alone.size(), 1, algorithms::Direction::forward).transform(alone);
    return algorithms::verify_transform<double>(found, alone);
  }
};

struct Relaxation {
  using Value = double;
  algorithms::RelaxationTokens tokens;

  explicit Relaxation(const DataflowArguments& arguments)
      : tokens{arguments.size, arguments.pieces, arguments.iterations, arguments.seed} {}
  dataflow::Graph graph() const { return algorithms::jacobi_graph(tokens); }
  std::vector<Value> result(const RunRecord& record) const {
    return algorithms::jacobi_result(record, tokens);
  }
  std::vector<std::size_t> shape() const { return {tokens.size, tokens.size}; }
  std::string sizes() const {
    return fmt::format("jacobi {}x{} in {} pieces, {} sweeps", tokens.size, tokens.size, tokens.pieces,
                       tokens.sweeps);
  }
  Verification verify(const std::vector<Value>& found) const {
    std::vector<Value> alone = tokens.input();
    algorithms::jacobi_alone(alone, tokens.size, tokens.size, tokens.sweeps);
    return {algorithms::relative_error<Value>(found, alone), 1e-12};
  }
};

/// A file that cannot be written is found before the work, not after it.
void open_on_rank_0(const World& world, const std::string& path, std::optional<AtomicFile>& file) {
  if (world.rank() == 0 && !path.empty()) file.emplace(path);
}

/// Rank 0 holds the result in pieces and as a whole, and what it takes to verify it.
void require_room(const World& world, const std::vector<std::size_t>& shape, std::size_t value_bytes,
                  bool verifies) {
  if (world.rank() != 0) return;
  double bytes = static_cast<double>(value_bytes);
  for (const std::size_t side : shape)
    bytes *= static_cast<double>(side);
  require_memory(bytes * (verifies ? 5 : 2), "the result");
}

void judge(World& world, const Verification& verification, Outcome& outcome) {
  world.set_verified(verification.passed());
  outcome.summary += fmt::format(", relative error {:.2g}, {}", verification.error,
                                 verification.passed() ? "verified" : "not verified");
  if (verification.passed()) return;
  outcome.refutation = refutation_of("the result", verification.error, verification.bound);
}

template <class Program>
dataflow::Graph graph_of(const Program& program, const DataflowArguments& arguments) {
  dataflow::Graph graph = program.graph();
  if (arguments.pause == transport::Duration{0}) return graph;
  graph.wrap_kernels([pause = arguments.pause](dataflow::Compute compute) {
    return [pause, compute = std::move(compute)](const dataflow::Inputs& in, dataflow::Outputs& out) {
      std::this_thread::sleep_for(pause);
      compute(in, out);
    };
  });
  return graph;
}

dataflow::RunOptions options_of(const DataflowArguments& arguments,
                                std::optional<DataflowTimeline>& timeline) {
  dataflow::RunOptions options;
  options.replicate_every = arguments.replicate_every;
  options.grows = true;
  options.most_spare_bytes = arguments.spare_bytes;
  if (timeline) options.when_level_ends = [&](const dataflow::LevelEnd& end) { timeline->add(end); };
  return options;
}

/// What the loss of ranks made run again, if anything.
std::string again_of(const RunRecord& record) {
  return record.runs_again == 0 ? "" : fmt::format(", {} tokens again", record.runs_again);
}

template <class Program>
Outcome run_program(World& world, const DataflowArguments& arguments) {
  const Program program(arguments);
  require_room(world, program.shape(), sizeof(typename Program::Value), arguments.verifies());
  std::optional<AtomicFile> out;
  std::optional<AtomicFile> drawing;
  open_on_rank_0(world, arguments.out, out);
  open_on_rank_0(world, arguments.picture, drawing);
  const dataflow::Graph graph = graph_of(program, arguments);
  std::optional<DataflowTimeline> timeline;
  if (world.rank() == 0 && !arguments.timeline.empty())
    timeline.emplace(arguments.timeline, world.change().has_value());
  const Seconds begin = world.time();
  const RunRecord record = dataflow::run(world, graph, options_of(arguments, timeline));
  const Seconds time = slowest(world, world.time() - begin);
  Outcome outcome;
  if (world.rank() != 0) return outcome;

  outcome.summary = fmt::format(
      "dataflow: {} P={}: {} tokens in {} levels, {} s, {} ms planning, {} MB sent", program.sizes(),
      world.size(), graph.tokens().size(), record.levels.size(), command_line::short_number(time.count()),
      command_line::short_number(static_cast<double>(record.planning) / 1e6),
      command_line::short_number(static_cast<double>(record.fetched_bytes()) / 1e6));
  outcome.summary += again_of(record);
  const std::vector<typename Program::Value> result = program.result(record);
  if (arguments.verifies()) judge(world, program.verify(result), outcome);
  if (!outcome.refutation.empty()) return outcome;
  if (out) {
    write_npy<typename Program::Value>(*out, program.shape(), result);
    out->commit();
  }
  if (drawing) {
    drawing->write(dataflow::picture(graph, record.mapping(graph.tokens().size()), record.again));
    drawing->commit();
  }
  if (timeline) timeline->finish();
  return outcome;
}

}  // namespace

Outcome dataflow_job(World& world, const DataflowArguments& arguments) {
  if (Keeper::is_for_disk(world))
    throw UsageError(
        "--checkpoint and --restart with dataflow, which keeps no states: leave them out, or have it go on without lost "
        "ranks (--on-failure)");
  switch (arguments.program) {
    case DataflowProgram::matmul:
      return run_program<Product>(world, arguments);
    case DataflowProgram::fft:
      return run_program<Transform>(world, arguments);
    case DataflowProgram::jacobi:
      break;
  }
  return run_program<Relaxation>(world, arguments);
}

}  // namespace lbsp::programs::tasks
