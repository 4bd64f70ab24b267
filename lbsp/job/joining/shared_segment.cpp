#include "lbsp/job/joining/shared_segment.hpp"

#include <utility>

#include "lbsp/job/inherited_descriptor.hpp"
#include "transport/error.hpp"
#include "transport/shared_memory/segment.hpp"
#include "transport/shared_memory/shared_memory_exchange.hpp"

namespace lbsp::job::joining {
namespace {

using transport::shared_memory::Geometry;
using transport::shared_memory::Ground;
using transport::shared_memory::SegmentFile;

}  // namespace

std::optional<Ground> take_shared_segment(const Welcome& welcome) {
  const auto descriptor = take_inherited_descriptor(shared_memory_variable);
  if (!descriptor) return std::nullopt;
  SegmentFile file(*descriptor);
  if (!welcome.shared) return std::nullopt;
  try {
    return transport::open_segment(std::move(file),
                                   Geometry::of(welcome.shared->ranks, welcome.shared->message_bytes),
                                   welcome.rank - welcome.shared->first_rank);
  } catch (const Error&) {
    return std::nullopt;  // as with little address space (ulimit -v): the job does without
  }
}

}  // namespace lbsp::job::joining
