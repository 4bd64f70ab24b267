#include "lbsp/job/shared_segment.hpp"

#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <utility>

#include "transport/error.hpp"
#include "transport/shared_memory/segment.hpp"
#include "transport/shared_memory/shared_memory_exchange.hpp"

namespace lbsp::job {
namespace {

using transport::shared_memory::Geometry;
using transport::shared_memory::Ground;
using transport::shared_memory::SegmentFile;

std::optional<int> inherited_segment() {
  const char* const text = std::getenv(shared_memory_variable);
  if (text == nullptr) return std::nullopt;
  const std::string value = text;
  ::unsetenv(shared_memory_variable);
  int descriptor = -1;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), descriptor);
  const bool whole = problem == std::errc{} && end == value.data() + value.size();
  // Not for this process's children.
  if (!whole || descriptor < 0 || ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return std::nullopt;
  return descriptor;
}

}  // namespace

std::optional<Ground> take_shared_segment(const Welcome& welcome) {
  const auto descriptor = inherited_segment();
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

}  // namespace lbsp::job
