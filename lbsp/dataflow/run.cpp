#include "lbsp/dataflow/run.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "lbsp/dataflow/digest.hpp"
#include "lbsp/dataflow/ledger.hpp"
#include "lbsp/dataflow/local_tokens.hpp"
#include "lbsp/dataflow/transfer_cost.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/trace/processor_time.hpp"
#include "transport/error.hpp"

namespace lbsp::dataflow {
namespace {

/// One rank's part of a run.
class Runner {
 public:
  Runner(World& world, const Graph& graph, const RunOptions& options)
      : world_(world),
        graph_(graph),
        options_(options),
        ledger_(graph, world.size(), options),
        local_(graph),
        cost_(world.size(), options.network, options.memory),
        streams_(world),
        reports_(world) {}

  RunRecord run() {
    world_.agree(graph_.digest());
    for (std::size_t level = 0; level < ledger_.structure().levels(); ++level)
      run_level(level);
    exchange(ledger_.results(options_.results_on));
    if (world_.rank() == options_.results_on) keep_results();
    note();
    return std::move(run_);
  }

 private:
  void run_level(std::size_t level) {
    const auto begin = trace::thread_processor_time();
    LevelPlan plan = ledger_.plan(level);
    const std::vector<Shipment> shipments = ledger_.shipments(plan);
    agree_on(plan, shipments);
    run_.planning += (trace::thread_processor_time() - begin).count();

    const std::uint64_t fetched = level == 0 ? first_exchange() : exchange(shipments);
    const std::vector<StreamId> done = ledger_.settle(level, plan);
    run_.levels.push_back({plan.placements, {}, plan.moves, plan.length(), fetched});
    compute(plan);
    for (const StreamId stream : done)
      local_.drop(stream);
  }

  /// What the next sync() compares: whoever plans differently is named, instead of waiting for what nobody sends.
  void agree_on(const LevelPlan& plan, const std::vector<Shipment>& shipments) {
    Digest digest;
    for (const Placement& each : plan.placements) {
      digest.add(each.token);
      digest.add(static_cast<std::uint64_t>(each.worker));
      digest.add(static_cast<std::uint64_t>(each.finish));
    }
    for (const Shipment& each : shipments) {
      digest.add(each.stream);
      digest.add(static_cast<std::uint64_t>(each.from));
    }
    world_.agree(digest.value());
  }

  /// The one that finds out whether all ranks run the same.
  std::uint64_t first_exchange() {
    try {
      return exchange({});
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("all ranks must run the same graph: {}", error.what()));
    }
  }

  /// A superstep: streams to those who lack them, and the report of the last level to all. Returns the bytes that all
  /// ranks sent for it, as the ledger knows them.
  std::uint64_t exchange(const std::vector<Shipment>& shipments) {
    for (const Shipment& each : shipments) {
      if (each.from == world_.rank()) streams_.send(each.to, each.stream, local_.stream(each.stream));
    }
    const Transfer own = cost_.of(world_.network());
    report_.insert(report_.begin(), {own.latency, own.per_million_bytes});
    for (Rank to = 0; to < world_.size(); ++to)
      reports_.send(to, 0, report_);
    report_.clear();
    world_.sync();

    for (const auto message : streams_)
      local_.put(message.tag(), message.values());
    LevelRecord none;
    LevelRecord& last = run_.levels.empty() ? none : run_.levels.back();
    for (const auto message : reports_)
      ledger_.absorb(message.source(), message.values(), last);
    std::uint64_t bytes = 0;
    for (const Shipment& each : shipments)
      bytes += ledger_.bytes(each.stream);
    return bytes;
  }

  void compute(const LevelPlan& plan) {
    for (const Placement& each : plan.placements) {
      if (each.worker != world_.rank()) continue;
      report_.push_back(local_.compute(each.token));
      for (const StreamId output : graph_.tokens()[each.token].writes)
        report_.push_back(static_cast<std::int64_t>(local_.stream(output).size()));
    }
  }

  /// What the report of lbsp run has of it.
  void note() const {
    const auto say = [&](const char* name, double value) { world_.note("dataflow", name, value); };
    Ticks predicted = 0;
    Ticks computed = 0;
    for (const LevelRecord& level : run_.levels) {
      predicted += level.predicted;
      computed += level.longest_computation();
    }
    say("tokens", static_cast<double>(ledger_.structure().tokens()));
    say("streams", static_cast<double>(ledger_.structure().streams()));
    say("levels", static_cast<double>(run_.levels.size()));
    say("moves", static_cast<double>(run_.moves()));
    say("fetched_bytes", static_cast<double>(run_.fetched_bytes()));
    say("planning_seconds", static_cast<double>(run_.planning) / 1e9);
    say("planned_seconds", static_cast<double>(predicted) / 1e9);
    say("compute_seconds", static_cast<double>(computed) / 1e9);
  }

  void keep_results() {
    for (StreamId id = 0; id < graph_.streams().size(); ++id) {
      if (graph_.streams()[id].result) run_.results.emplace(graph_.streams()[id].name, local_.take(id));
    }
  }

  World& world_;
  const Graph& graph_;
  const RunOptions& options_;
  Ledger ledger_;
  LocalTokens local_;
  TransferCost cost_;
  Queue<std::byte, StreamId> streams_;
  Queue<std::int64_t> reports_;
  Report report_;
  RunRecord run_;
};

}  // namespace

Ticks LevelRecord::longest_computation() const {
  std::map<Worker, Ticks> sums;
  Ticks longest = 0;
  for (std::size_t i = 0; i < took.size(); ++i)
    longest = std::max(longest, sums[placements[i].worker] += took[i]);
  return longest;
}

Mapping RunRecord::mapping(std::size_t tokens) const {
  Mapping workers(tokens);
  for (const LevelRecord& level : levels)
    for (const Placement& each : level.placements)
      workers[each.token] = each.worker;
  return workers;
}

std::uint64_t RunRecord::fetched_bytes() const {
  std::uint64_t sum = 0;
  for (const LevelRecord& level : levels)
    sum += level.fetched_bytes;
  return sum;
}

std::size_t RunRecord::moves() const {
  std::size_t sum = 0;
  for (const LevelRecord& level : levels)
    sum += level.moves;
  return sum;
}

const StreamBytes& RunRecord::result_bytes(std::string_view stream) const {
  const auto found = results.find(stream);
  if (found == results.end()) {
    throw UsageError(
        fmt::format("there is no result \"{}\" here: name it by Graph::result(), and read it on the rank "
                    "that RunOptions::results_on says",
                    stream));
  }
  return found->second;
}

RunRecord run(World& world, const Graph& graph, const RunOptions& options) {
  graph.check();
  if (options.results_on < 0 || options.results_on >= world.size()) {
    throw UsageError(fmt::format("rank {} of {} is to get the results: name one that there is",
                                 options.results_on, world.size()));
  }
  return Runner(world, graph, options).run();
}

}  // namespace lbsp::dataflow
