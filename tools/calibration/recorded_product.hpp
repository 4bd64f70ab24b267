#pragma once

#include <optional>
#include <span>

#include "model/pmm/calibration.hpp"
#include "tools/trace_file/trace.hpp"

namespace lbsp::calibration {

/// Fox's product in a trace of `matmul --algorithm fox`.
struct RecordedProduct {
  /// The product alone: from when the last rank begins to send until the last one has multiplied. Making the matrices,
  /// and telling the times afterwards, are not in it. Of computing, that of the slowest rank of each superstep counts.
  model::pmm::MeasuredRun run;
  double round_trip = 0;  ///< means of the ranks that have measured it; 0: none has
  double rate = 0;        ///< at which a rank sends, bytes per second
  double loss = 0;
};

/// None for another program or algorithm, for files, for elements of 4 bytes, for an order that is no multiple of the
/// mesh's side, and for a trace that does not have all of the product's supersteps one by one.
std::optional<RecordedProduct> recorded_product(const trace_file::Trace& trace);

/// How the formulas count what lbsp does: a row's root sends its block to one after another, and all wait for the last
/// message of a superstep.
inline constexpr auto broadcast = model::pmm::Broadcast::flat;
inline constexpr auto overlap = model::pmm::Overlap::barrier;

/// The rates for which the products come nearest to all of these by their relative errors; to start a transfer takes
/// half of their mean round trip. Throws what model::pmm::calibrate() throws.
model::pmm::Calibration calibrate(std::span<const RecordedProduct> products);

/// Nine of ten products are between 1 - this and 1 + this times what the formula says with those rates; none if they
/// were fitted to two runs.
std::optional<double> nine_of_ten_part(const model::pmm::Calibration& calibration);

/// The same product over a network that loses datagrams: as lbsp runs and protects it, by its own prediction of each
/// superstep (docs/prediction.md). None without a round trip or a rate.
std::optional<double> lossy_seconds(const RecordedProduct& network, double nodes, double order, double flops);

/// The mean network of several products, as lossy_seconds() takes it.
RecordedProduct mean_network(std::span<const RecordedProduct> products);

}  // namespace lbsp::calibration
