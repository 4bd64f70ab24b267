#include "lbsp/dataflow/run.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "lbsp/dataflow/digest.hpp"
#include "lbsp/dataflow/running/ledger.hpp"
#include "lbsp/dataflow/running/local_tokens.hpp"
#include "lbsp/dataflow/running/run_notes.hpp"
#include "lbsp/dataflow/running/transfer_cost.hpp"
#include "lbsp/dataflow/survival/luggage.hpp"
#include "lbsp/dataflow/survival/run_journal.hpp"
#include "lbsp/image.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/trace/processor_time.hpp"
#include "transport/error.hpp"

namespace lbsp::dataflow::running {

using planning::LevelPlan;
using survival::Holdings;
using survival::Luggage;
using survival::RunJournal;
using survival::RunState;

namespace {

/// Where nothing outlives the world there is no second holder to have, and nothing to keep.
RunOptions fit_to(RunOptions options, bool outlives) {
  if (outlives) return options;
  options.replicate_every = 0;
  options.grows = false;
  options.most_spare_bytes = 0;
  return options;
}

Ticks ticks_of(Seconds time) {
  const double nanoseconds = time.count() * 1e9;
  return nanoseconds < static_cast<double>(longest_ticks) ? static_cast<Ticks>(nanoseconds) : longest_ticks;
}

bool outlives_world(const World& world) {
  return world.outlives_ranks() && !world.saves_states();
}

/// One rank's part of a run.
class Runner {
 public:
  /// `luggage`: none, if nothing is taken along into another world.
  Runner(World& world, const Graph& graph, const RunOptions& options, Luggage* luggage)
      : world_(world),
        graph_(graph),
        options_(fit_to(options, luggage != nullptr)),
        luggage_(luggage),
        state_(luggage != nullptr ? luggage->next_run(world, graph) : own_state_),
        ledger_(graph, world.size(), options_, world.hosts(), ticks_of(world.between_failures())),
        journal_(state_, ledger_.structure(), world.size(), options_.when_level_ends),
        local_(graph, state_.streams),
        cost_(world.size(), options.network, options.memory),
        streams_(world),
        reports_(world) {}

  RunRecord run() {
    world_.agree_on_graph(graph_.digest(), graph_.tokens().size());
    if (luggage_ != nullptr && world_.change()) go_on();
    while (const auto level = ledger_.next_level())
      run_level(*level);
    exchange(ledger_.results(options_.results_on));
    if (world_.rank() == options_.results_on) keep_results();
    journal_.tell(run_);
    note_run(world_, ledger_.structure(), run_);
    return std::move(run_);
  }

 private:
  /// In another world than the one that the run began in: a superstep in which all tell what they have.
  void go_on() {
    state_.note(world_);
    const Queue<std::byte> queue(world_);
    Holdings own = state_.holdings(graph_);
    const Bytes image = image_of(own);
    for (Rank to = 0; to < world_.size(); ++to)
      queue.send(to, 0, image);
    world_.sync();
    std::vector<Holdings> all(static_cast<std::size_t>(world_.size()));
    for (const auto message : queue)
      restore(all[place_of(message.source())], message.values());
    const Holdings together = survival::joint(all, graph_.tokens().size(), graph_.streams().size());
    journal_.take_over(together, ledger_.resume(all, together));
    world_.reached(luggage_->ended());
    run_.before = survival::who_ran(all, graph_.tokens().size());
    state_.streams.keep_all();
    for (const StreamId stream : state_.streams.ids())
      if (!ledger_.is_needed(stream)) put_by(stream);
    trim();
  }

  void run_level(std::size_t level) {
    const auto begin = trace::thread_processor_time();
    LevelPlan plan = ledger_.plan(level);
    const std::vector<Shipment> shipments = ledger_.shipments(plan);
    const std::vector<Shipment> copies = ledger_.copies(shipments);
    const bool meanwhile = ledger_.go_meanwhile(copies, plan);
    agree_on(plan, shipments, copies);
    run_.planning += (trace::thread_processor_time() - begin).count();

    if (!meanwhile) send(copies);
    const std::uint64_t fetched = exchange(shipments);
    const std::uint64_t copied = bytes_of(copies);
    ledger_.settle_copies(copies);
    const std::vector<StreamId> done = ledger_.settle(level, plan);
    note_plan(level, plan, fetched, copied);
    meanwhile ? compute_while_sending(plan, copies) : compute(plan);
    for (const StreamId stream : done)
      put_by(stream);
    trim();
  }

  void note_plan(std::size_t level, const LevelPlan& plan, std::uint64_t fetched, std::uint64_t copied) {
    const auto again = std::ranges::count_if(
        plan.placements, [&](const Placement& each) { return journal_.runs_again(each.token); });
    run_.levels.push_back({plan.placements,
                           {},
                           plan.moves,
                           plan.length(),
                           fetched,
                           level,
                           static_cast<std::size_t>(again),
                           copied});
  }

  /// What the next sync() compares: whoever plans differently is named, instead of waiting for what nobody sends.
  void agree_on(const LevelPlan& plan, const std::vector<Shipment>& shipments,
                const std::vector<Shipment>& copies) {
    Digest digest;
    for (const Placement& each : plan.placements) {
      digest.add(each.token);
      digest.add(static_cast<std::uint64_t>(each.worker));
      digest.add(static_cast<std::uint64_t>(each.finish));
    }
    for (const auto* list : {&shipments, &copies}) {
      for (const Shipment& each : *list) {
        digest.add(each.stream);
        digest.add(static_cast<std::uint64_t>(each.from));
      }
    }
    world_.agree(digest.value());
  }

  /// This rank's.
  void send(const std::vector<Shipment>& shipments) {
    for (const Shipment& each : shipments)
      if (each.from == world_.rank()) streams_.send(each.to, each.stream, local_.stream(each.stream));
  }

  void keep_what_has_come() {
    for (const auto message : streams_)
      local_.put(message.tag(), message.values());
  }

  /// A superstep: streams to those who lack them, and the report of the last level to all. Returns the bytes of
  /// streams that all ranks sent, as the ledger knows them.
  std::uint64_t exchange(const std::vector<Shipment>& shipments) {
    send(shipments);
    const Transfer own = cost_.of(world_.network());
    report_.insert(report_.begin(), {own.latency, own.per_million_bytes, cost_.of_nothing()});
    for (Rank to = 0; to < world_.size(); ++to)
      reports_.send(to, 0, report_);
    report_.clear();
    if (options_.grows && exchanges_++ % 2 == 0) world_.admit();
    world_.sync();

    keep_what_has_come();
    LevelRecord none;
    LevelRecord& last = run_.levels.empty() ? none : run_.levels.back();
    for (const auto message : reports_)
      ledger_.absorb(message.source(), message.values(), last);
    if (!run_.levels.empty()) journal_.note_end_of(last, world_.rank(), ledger_.times_of(world_.rank()));
    if (luggage_ != nullptr) world_.reached(luggage_->ended());
    return bytes_of(shipments);
  }

  /// A superstep more, which nobody waits for unless it takes longer than the level's tokens.
  void compute_while_sending(const LevelPlan& plan, const std::vector<Shipment>& copies) {
    send(copies);
    world_.sync_meanwhile([&] { compute(plan); });
    keep_what_has_come();
  }

  std::uint64_t bytes_of(const std::vector<Shipment>& shipments) const {
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
      journal_.note_computed(each.token);
    }
  }

  /// A stream that nobody reads any more.
  void put_by(StreamId stream) {
    if (luggage_ == nullptr || graph_.streams()[stream].supply) return state_.streams.drop(stream);
    state_.streams.make_spare(stream);
  }

  void trim() {
    if (luggage_ != nullptr) luggage_->drop_spare(options_.most_spare_bytes);
  }

  /// Where the world may change yet, they stay here, too.
  void keep_results() {
    for (StreamId id = 0; id < graph_.streams().size(); ++id) {
      if (!graph_.streams()[id].result) continue;
      const StreamBytes& bytes = local_.stream(id);
      run_.results.emplace(graph_.streams()[id].name, luggage_ != nullptr ? bytes : state_.streams.take(id));
    }
  }

  World& world_;
  const Graph& graph_;
  RunOptions options_;
  Luggage* luggage_;
  RunState own_state_;
  RunState& state_;
  Ledger ledger_;
  RunJournal journal_;
  LocalTokens local_;
  TransferCost cost_;
  Queue<std::byte, StreamId> streams_;
  Queue<std::int64_t> reports_;
  Report report_;
  RunRecord run_;
  std::size_t exchanges_ = 0;
};

}  // namespace

}  // namespace lbsp::dataflow::running

namespace lbsp::dataflow {

RunRecord run(World& world, const Graph& graph, const RunOptions& options) {
  graph.check();
  if (options.results_on < 0 || options.results_on >= world.size()) {
    throw UsageError(fmt::format("rank {} of {} is to get the results: name one that there is",
                                 options.results_on, world.size()));
  }
  survival::Luggage* const luggage =
      running::outlives_world(world) ? &world.luggage<survival::Luggage>() : nullptr;
  return running::Runner(world, graph, options, luggage).run();
}

}  // namespace lbsp::dataflow
