#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lbsp/dataflow/estimates.hpp"
#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/mapper.hpp"
#include "lbsp/dataflow/prediction.hpp"
#include "lbsp/dataflow/run.hpp"
#include "lbsp/dataflow/stream_index.hpp"
#include "lbsp/dataflow/structure.hpp"

namespace lbsp::dataflow {

/// A stream that goes from one rank to another before a level.
struct Shipment {
  StreamId stream = 0;
  Worker from = 0;
  Worker to = 0;

  // clang-tidy 14 takes the 0 of a defaulted comparison for a pointer.
  friend auto operator<=>(const Shipment&, const Shipment&) = default;  // NOLINT(modernize-use-nullptr)
};

/// What a rank tells all others of the level that it has computed, as integers: its Transfer, then for each of its
/// placements in order the time and the length of each output.
using Report = std::vector<std::int64_t>;

/// What all ranks of a run know alike: who has which stream, how long streams are, what tokens take. From the same
/// reports, every rank's is the same.
class Ledger {
 public:
  /// `graph` must outlive this.
  Ledger(const Graph& graph, Worker workers, const RunOptions& options);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  const Structure& structure() const { return structure_; }

  /// Maps a level, of which those before it have been mapped and shipped.
  LevelPlan plan(std::size_t level);
  /// What has to go where before it, ascending.
  std::vector<Shipment> shipments(const LevelPlan& plan) const;
  /// What has to go to `to` in the end.
  std::vector<Shipment> results(Worker to) const;
  /// The level has its inputs, and will have its outputs. Returns the streams that nobody needs any more.
  std::vector<StreamId> settle(std::size_t level, const LevelPlan& plan);

  /// Takes in what a rank reports of the level `record`, and notes it there. Throws Error if it is not such a report.
  void absorb(Worker from, std::span<const std::int64_t> report, LevelRecord& record);
  /// How many streams long the ledger takes it to be.
  std::uint64_t bytes(StreamId stream) const { return estimates_.bytes[stream]; }

 private:
  std::uint64_t input_bytes(TokenId token) const;
  Ticks predicted(TokenId token, Worker worker) const;
  void guess_lengths(TokenId token);
  Worker sender_of(StreamId stream) const;

  const Graph& graph_;
  Structure structure_;
  StreamIndex index_;
  Predictor predictor_;
  MapOptions mapping_;
  Estimates estimates_;
  std::vector<std::vector<std::uint64_t>> last_lengths_;  ///< of each kernel's outputs
  std::vector<std::size_t> last_reader_;                  ///< by stream: the highest level that reads it
};

}  // namespace lbsp::dataflow
