#include "lbsp/plan/protocol.hpp"

#include <algorithm>

#include "lbsp/superstep/layout.hpp"
#include "model/superstep/block_repair.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::plan {
namespace {

/// The head of a sent record, and the padding about its tag.
constexpr double record_bytes = superstep::aligned(sizeof(superstep::RecordHead)) + superstep::alignment;

}  // namespace

const model::superstep::Protocol& protocol() {
  static const model::superstep::Protocol known({.block_segments = transport::most_block_segments,
                                                 .repair_segments = transport::most_repair_segments,
                                                 .copies = transport::max_copies},
                                                {.datagram = transport::data_overhead_bytes,
                                                 .message = sizeof(superstep::MessageHead),
                                                 .record = record_bytes},
                                                {.first_residual = 0.02, .later_residual = 0.005});
  return known;
}

int planned_repairs(int lacking, int earlier, const transport::PathForecast& path) {
  constexpr double most_loss = 0.9;
  return model::superstep::repairs_for(protocol().repairs, lacking, earlier,
                                       std::clamp(path.loss, 0., most_loss));
}

}  // namespace lbsp::plan
