#include "lbsp/plan/protocol.hpp"

#include "lbsp/superstep/layout.hpp"
#include "transport/redundancy.hpp"
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

}  // namespace lbsp::plan
