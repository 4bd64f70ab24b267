#include "lbsp/dataflow/run.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>

#include "lbsp/dataflow/digest.hpp"
#include "lbsp/dataflow/ledger.hpp"
#include "lbsp/dataflow/local_tokens.hpp"
#include "lbsp/dataflow/luggage.hpp"
#include "lbsp/dataflow/run_notes.hpp"
#include "lbsp/dataflow/transfer_cost.hpp"
#include "lbsp/image.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/trace/processor_time.hpp"
#include "transport/error.hpp"

namespace lbsp::dataflow {
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
        local_(graph, state_.streams),
        cost_(world.size(), options.network, options.memory),
        streams_(world),
        reports_(world) {
    state_.told.tokens.resize(graph.tokens().size());
    state_.in_ends.resize(graph.tokens().size());
  }

  RunRecord run() {
    world_.agree(graph_.digest());
    if (luggage_ != nullptr && world_.change()) go_on();
    while (const auto level = ledger_.next_level())
      run_level(*level);
    exchange(ledger_.results(options_.results_on), {});
    if (world_.rank() == options_.results_on) keep_results();
    tell_what_was();
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
    sync_first();
    std::vector<Holdings> all(static_cast<std::size_t>(world_.size()));
    for (const auto message : queue)
      restore(all[place_of(message.source())], message.values());
    const Holdings together = joint(all, graph_.tokens().size(), graph_.streams().size());
    note_ends_of(together, std::ranges::count(own.tokens, 0) == std::ssize(own.tokens));
    again_ = ledger_.resume(all, together);
    take_over(together);
    run_.before = who_ran(all, graph_.tokens().size());
    state_.streams.keep_all();
    for (const StreamId stream : state_.streams.ids())
      if (!ledger_.is_needed(stream)) put_by(stream);
    trim();
  }

  /// What was computed when the world changed, and not told any more. A new process knows nothing of when that was.
  void note_ends_of(const Holdings& together, bool is_new) {
    std::map<std::size_t, std::size_t> by_level;
    for (TokenId token = 0; token < together.tokens.size(); ++token) {
      if ((together.tokens[token] & Holdings::done) == 0 || state_.in_ends[token]) continue;
      state_.in_ends[token] = true;
      ++by_level[level_of(token)];
    }
    for (const auto& [level, tokens] : by_level)
      if (!is_new) note_end(level, tokens, 0);
  }

  void note_end(std::size_t level, std::size_t tokens, std::size_t again) {
    state_.ends.push_back(
        {level, tokens, again, world_.size(), std::chrono::steady_clock::now() - state_.began});
    if (options_.when_level_ends) options_.when_level_ends(state_.ends.back());
  }

  void take_over(const Holdings& together) {
    state_.told.changes = together.changes;
    state_.told.runs_again = together.runs_again;
    RunChange& last = state_.told.changes.back();
    last.ranks = world_.size();
    last.to_redo = again_.size();
    for (TokenId token = 0; token < together.tokens.size(); ++token) {
      if ((together.tokens[token] & Holdings::done) == 0) continue;
      last.level = std::max(last.level, level_of(token) + 1);
      std::uint8_t& flags = state_.told.tokens[token];
      flags = static_cast<std::uint8_t>(flags | (together.tokens[token] & ~Holdings::here));
    }
  }

  void run_level(std::size_t level) {
    const auto begin = trace::thread_processor_time();
    LevelPlan plan = ledger_.plan(level);
    const std::vector<Shipment> shipments = ledger_.shipments(plan);
    const std::vector<Shipment> copies = ledger_.copies(shipments);
    agree_on(plan, shipments, copies);
    run_.planning += (trace::thread_processor_time() - begin).count();

    const std::uint64_t fetched = exchange(shipments, copies);
    const std::uint64_t copied = bytes_of(copies);
    ledger_.settle_copies(copies);
    const std::vector<StreamId> done = ledger_.settle(level, plan);
    const auto again =
        std::ranges::count_if(plan.placements, [&](const Placement& each) { return runs_again(each.token); });
    run_.levels.push_back({plan.placements,
                           {},
                           plan.moves,
                           plan.length(),
                           fetched,
                           level,
                           static_cast<std::size_t>(again),
                           copied});
    compute(plan);
    for (const StreamId stream : done)
      put_by(stream);
    trim();
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

  /// The first one finds out whether all ranks run the same.
  void sync_first() {
    try {
      world_.sync();
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("all ranks must run the same graph: {}", error.what()));
    }
    met_ = true;
  }

  /// A superstep: streams to those who lack them, copies behind them, and the report of the last level to all. Returns
  /// the bytes that all ranks sent of the former, as the ledger knows them.
  std::uint64_t exchange(const std::vector<Shipment>& shipments, const std::vector<Shipment>& copies) {
    for (const auto* list : {&shipments, &copies})
      for (const Shipment& each : *list)
        if (each.from == world_.rank()) streams_.send(each.to, each.stream, local_.stream(each.stream));
    const Transfer own = cost_.of(world_.network());
    report_.insert(report_.begin(), {own.latency, own.per_million_bytes});
    for (Rank to = 0; to < world_.size(); ++to)
      reports_.send(to, 0, report_);
    report_.clear();
    if (options_.grows && exchanges_++ % 2 == 0) world_.admit();
    met_ ? world_.sync() : sync_first();

    for (const auto message : streams_)
      local_.put(message.tag(), message.values());
    LevelRecord none;
    LevelRecord& last = run_.levels.empty() ? none : run_.levels.back();
    for (const auto message : reports_)
      ledger_.absorb(message.source(), message.values(), last);
    if (!run_.levels.empty()) note_end(last);
    return bytes_of(shipments);
  }

  std::uint64_t bytes_of(const std::vector<Shipment>& shipments) const {
    std::uint64_t bytes = 0;
    for (const Shipment& each : shipments)
      bytes += ledger_.bytes(each.stream);
    return bytes;
  }

  /// All ranks have computed the level.
  void note_end(const LevelRecord& level) {
    for (const Placement& each : level.placements) {
      std::uint8_t& flags = state_.told.tokens[each.token];
      if (runs_again(each.token)) flags |= Holdings::again;
      if (each.worker != world_.rank()) flags &= static_cast<std::uint8_t>(~Holdings::here);
      flags |= Holdings::done;
      state_.in_ends[each.token] = true;
    }
    state_.told.runs_again += level.again;
    state_.told.times = ledger_.times_of(world_.rank());
    note_end(level.level, level.placements.size(), level.again);
  }

  void compute(const LevelPlan& plan) {
    for (const Placement& each : plan.placements) {
      if (each.worker != world_.rank()) continue;
      report_.push_back(local_.compute(each.token));
      for (const StreamId output : graph_.tokens()[each.token].writes)
        report_.push_back(static_cast<std::int64_t>(local_.stream(output).size()));
      state_.told.tokens[each.token] |= Holdings::done | Holdings::here;
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

  bool runs_again(TokenId token) const { return std::ranges::binary_search(again_, token); }

  std::size_t level_of(TokenId token) const {
    return static_cast<std::size_t>(ledger_.structure().token(token).level);
  }

  void tell_what_was() {
    run_.changes = state_.told.changes;
    run_.runs_again = state_.told.runs_again;
    run_.ends = state_.ends;
    if (run_.runs_again == 0) return;
    for (const std::uint8_t flags : state_.told.tokens)
      run_.again.push_back((flags & Holdings::again) != 0);
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
  LocalTokens local_;
  TransferCost cost_;
  Queue<std::byte, StreamId> streams_;
  Queue<std::int64_t> reports_;
  Report report_;
  RunRecord run_;
  std::vector<TokenId> again_;  ///< of those to run in this world, those that had run before it
  std::size_t exchanges_ = 0;
  bool met_ = false;  ///< a superstep has shown that all ranks run the same graph
};

}  // namespace

RunRecord run(World& world, const Graph& graph, const RunOptions& options) {
  graph.check();
  if (options.results_on < 0 || options.results_on >= world.size()) {
    throw UsageError(fmt::format("rank {} of {} is to get the results: name one that there is",
                                 options.results_on, world.size()));
  }
  return Runner(world, graph, options, outlives_world(world) ? &world.luggage<Luggage>() : nullptr).run();
}

}  // namespace lbsp::dataflow
