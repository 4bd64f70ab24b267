// A program that writes down what it computes, for split_network.py:
//   counted_work states|tokens --iterations N --out FILE --verify
// A ring of cells, each of whose values follows from its neighbours' in the step before. With `states` each rank has
// some of the cells, which other hosts keep before every tenth step; with `tokens` each cell in each step is a token
// of a graph. Rank 0 writes the last values to FILE. Each process writes to FILE.work.<process id> one line for each
// cell and step that it computes: when that began and ended, in seconds of the steady clock, in which epoch of the
// world, the step, and the cell.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "lbsp/dataflow/run.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/partition.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/steps.hpp"
#include "transport/splitmix.hpp"

namespace {

using lbsp::World;
using Value = std::uint64_t;
using Values = std::vector<Value>;

constexpr std::size_t cells = 20;
constexpr std::uint64_t kept_every = 10;
constexpr std::size_t replicated_every = 5;
/// So that all ranks get some: asleep, as ranks may be more than processors.
constexpr std::chrono::microseconds unit_time{500};

/// The cells whose values before it a cell's next value follows from.
std::array<std::size_t, 3> sources_of(std::size_t cell) {
  return {(cell + cells - 1) % cells, cell, (cell + 1) % cells};
}

Value next_value(Value left, Value own, Value right) {
  return lbsp::transport::splitmix(left + 3 * own + 7 * right);
}

Values computed_alone(std::uint64_t steps) {
  Values all(cells);
  for (std::size_t cell = 0; cell < cells; ++cell)
    all[cell] = cell;
  for (; steps > 0; --steps) {
    const Values before = all;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const auto [left, own, right] = sources_of(cell);
      all[cell] = next_value(before[left], before[own], before[right]);
    }
  }
  return all;
}

/// What this process has computed.
class WorkLog {
 public:
  explicit WorkLog(const std::string& path) : file_(path) {}

  /// Of the world in which compute() is called from now on.
  void begin_world(const World& world) { epoch_ = world.change() ? world.change()->epoch : 0; }
  Value compute(std::uint64_t step, std::size_t cell, Value left, Value own, Value right) {
    const double began = seconds();
    std::this_thread::sleep_for(unit_time);
    const Value value = next_value(left, own, right);
    file_ << fmt::format("{:.6f} {:.6f} {} {} {}", began, seconds(), epoch_, step, cell) << std::endl;
    return value;
  }

 private:
  static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  std::ofstream file_;
  std::uint32_t epoch_ = 0;
};

/// All cells, wherever they are.
Values gathered(World& world, const lbsp::Queue<Value>& queue, const std::map<std::uint64_t, Value>& part) {
  for (const auto& [cell, value] : part)
    for (lbsp::Rank to = 0; to < world.size(); ++to)
      queue.send(to, cell, value);
  world.sync();
  Values all(cells);
  for (const auto message : queue)
    all[message.tag()] = message.values()[0];
  return all;
}

Values run_states(World& world, std::uint64_t iterations, WorkLog& log) {
  const lbsp::Queue<Value> queue(world);
  std::map<std::uint64_t, Value> part;
  const lbsp::Range mine = lbsp::part_of(cells, world.size(), world.rank());
  for (std::size_t cell = mine.begin; cell < mine.end(); ++cell)
    part[cell] = cell;
  lbsp::Steps steps(world, part, iterations, lbsp::Keep{.every = kept_every});
  for (const auto& lost : steps.inherited())
    part.insert(lost.state.begin(), lost.state.end());
  for (const std::uint64_t step : steps) {
    const Values all = gathered(world, queue, part);
    for (auto& [cell, value] : part) {
      const auto [left, own, right] = sources_of(cell);
      value = log.compute(step, cell, all[left], all[own], all[right]);
    }
  }
  return gathered(world, queue, part);
}

std::string stream_of(std::uint64_t step, std::size_t cell) {
  return fmt::format("{}/{}", step, cell);
}

lbsp::dataflow::StreamBytes bytes_of(Value value) {
  lbsp::dataflow::StreamBytes bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

lbsp::dataflow::Graph ring_graph(std::uint64_t iterations, WorkLog& log) {
  lbsp::dataflow::Graph graph;
  const auto next = graph.kernel("next", [&log](const auto& in, auto& out) {
    const auto value = [&](std::size_t source) { return in.template values<Value>(source)[0]; };
    out.template make<Value>(0, 1)[0] =
        log.compute(static_cast<std::uint64_t>(in.number(0)), static_cast<std::size_t>(in.number(1)),
                    value(0), value(1), value(2));
  });
  for (std::size_t cell = 0; cell < cells; ++cell) {
    graph.initial(stream_of(0, cell), [cell] { return bytes_of(cell); });
    graph.result(stream_of(iterations, cell));
  }
  for (std::uint64_t step = 0; step < iterations; ++step) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      auto token = graph.token(fmt::format("step {} of cell {}", step, cell), next);
      token.with({static_cast<std::int64_t>(step), static_cast<std::int64_t>(cell)});
      for (const std::size_t source : sources_of(cell))
        token.reads(stream_of(step, source));
      token.writes(stream_of(step + 1, cell), sizeof(Value));
    }
  }
  return graph;
}

/// On rank 0; elsewhere they are not known.
Values run_tokens(World& world, std::uint64_t iterations, WorkLog& log) {
  const auto record =
      lbsp::dataflow::run(world, ring_graph(iterations, log), {.replicate_every = replicated_every});
  Values all;
  for (std::size_t cell = 0; cell < cells && world.rank() == 0; ++cell)
    all.push_back(record.result<Value>(stream_of(iterations, cell))[0]);
  return all;
}

}  // namespace

int main(int count, char** words) {
  if (count < 6 || std::string_view(words[2]) != "--iterations" || std::string_view(words[4]) != "--out")
    return 2;
  const bool tokens = std::string_view(words[1]) == "tokens";
  const std::uint64_t iterations = std::stoull(words[3]);
  const std::string out = words[5];
  WorkLog log(fmt::format("{}.work.{}", out, ::getpid()));
  return lbsp::run([&](World& world) {
    log.begin_world(world);
    const Values all = tokens ? run_tokens(world, iterations, log) : run_states(world, iterations, log);
    if (world.rank() != 0) return;
    std::ofstream(out, std::ios::binary)
        .write(reinterpret_cast<const char*>(all.data()),
               static_cast<std::streamsize>(all.size() * sizeof(Value)));
    world.set_verified(all == computed_alone(iterations));
    std::printf("%llu steps of %zu cells\n", static_cast<unsigned long long>(iterations), cells);
  });
}
