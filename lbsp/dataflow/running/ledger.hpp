#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/placement.hpp"
#include "lbsp/dataflow/planning/estimates.hpp"
#include "lbsp/dataflow/planning/mapper.hpp"
#include "lbsp/dataflow/planning/prediction.hpp"
#include "lbsp/dataflow/planning/stream_index.hpp"
#include "lbsp/dataflow/run_options.hpp"
#include "lbsp/dataflow/run_record.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/survival/copy_plan.hpp"
#include "lbsp/dataflow/survival/holdings.hpp"

namespace lbsp::dataflow::running {

/// A stream that goes from one rank to another before a level.
struct Shipment {
  StreamId stream = 0;
  Worker from = 0;
  Worker to = 0;

  // clang-tidy 14 takes the 0 of a defaulted comparison for a pointer.
  friend auto operator<=>(const Shipment&, const Shipment&) = default;  // NOLINT(modernize-use-nullptr)
};

/// What a rank tells all others of the level that it has computed, as integers: its Transfer, how long a superstep of
/// nothing takes, then for each of its placements in order the time and the length of each output.
using Report = std::vector<std::int64_t>;

/// What all ranks of a run know alike: who has which stream, how long streams are, what tokens take. From the same
/// reports, every rank's is the same.
class Ledger {
 public:
  /// `graph` must outlive this. `hosts`: by worker, the number of its host; empty: all differ. `between_failures`: the
  /// mean time from one loss of a worker to the next.
  Ledger(const Graph& graph, Worker workers, const RunOptions& options, std::vector<std::uint16_t> hosts = {},
         Ticks between_failures = longest_ticks);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  const Structure& structure() const { return structure_; }

  /// All go on from what the workers hold. Returns the tokens that had run and must again. Throws Error if these are
  /// not holdings of this graph.
  std::vector<TokenId> resume(const std::vector<survival::Holdings>& of_workers,
                              const survival::Holdings& joint);

  /// The lowest level with tokens that have not run, or must again; none: all have.
  std::optional<std::size_t> next_level() const;
  /// Whether a token that is to run, or a result, needs the stream.
  bool is_needed(StreamId stream) const;

  /// Maps such tokens of a level, where those before it have been mapped and shipped.
  planning::LevelPlan plan(std::size_t level);
  /// What has to go where before it, ascending.
  std::vector<Shipment> shipments(const planning::LevelPlan& plan) const;
  /// What goes with it so that two workers have it: of what the settled levels wrote that are replicated.
  std::vector<Shipment> copies(const std::vector<Shipment>& shipments) const;
  /// Whether they go in a superstep of their own while the level's tokens compute: if these take longer than such a
  /// superstep alone, so that nobody waits for more than copies that take longer than the computation.
  bool go_meanwhile(const std::vector<Shipment>& copies, const planning::LevelPlan& plan) const;
  /// They have gone.
  void settle_copies(const std::vector<Shipment>& copies);
  /// What has to go to `to` in the end.
  std::vector<Shipment> results(Worker to) const;
  /// The level has its inputs, and will have its outputs. Returns the streams that nobody needs any more.
  std::vector<StreamId> settle(std::size_t level, const planning::LevelPlan& plan);

  /// Takes in what a rank reports of the level `record`, and notes it there. Throws Error if it is not such a report.
  void absorb(Worker from, std::span<const std::int64_t> report, LevelRecord& record);
  /// What has been learned of how long a worker's tokens take.
  std::vector<Ticks> times_of(Worker worker) const { return predictor_.row(worker); }
  /// How long the ledger takes it to be.
  std::uint64_t bytes(StreamId stream) const { return estimates_.bytes[stream]; }

 private:
  std::uint64_t input_bytes(TokenId token) const;
  Ticks predicted(TokenId token, Worker worker) const;
  void guess_lengths(TokenId token);
  /// What follows from to_run_.
  void find_what_is_left();
  void take_lengths(const std::vector<survival::Holdings>& of_workers);
  Worker sender_of(StreamId stream) const;
  survival::CopyPlan::Level expected(std::size_t level, const planning::LevelPlan& plan) const;

  const Graph& graph_;
  Structure structure_;
  planning::StreamIndex index_;
  planning::Predictor predictor_;
  MapOptions mapping_;
  planning::Estimates estimates_;
  std::vector<std::vector<std::uint64_t>> last_lengths_;  ///< of each kernel's outputs
  std::vector<bool> to_run_;                              ///< by token
  std::vector<std::size_t> left_in_;                      ///< by level: how many tokens are to run
  std::vector<std::int64_t>
      last_reader_;                ///< by stream: the highest level of a token to run that reads it; -1: none
  std::vector<Ticks> of_nothing_;  ///< by worker: how long a superstep of nothing takes
  survival::CopyPlan copy_plan_;
  std::vector<std::uint16_t> hosts_;
  std::vector<std::pair<StreamId, Worker>> to_copy_;  ///< and who wrote it
};

}  // namespace lbsp::dataflow::running
