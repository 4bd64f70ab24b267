#include "lbsp/job/shared_segment.hpp"

#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "transport/error.hpp"
#include "transport/shared_memory/segment.hpp"
#include "transport/shared_memory/shared_memory_exchange.hpp"

namespace lbsp::job {
namespace {

using transport::shared_memory::Geometry;
using transport::shared_memory::Ground;
using transport::shared_memory::LinksConfig;
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

std::unique_ptr<transport::Exchange> open_shared_memory(const Welcome& welcome, Ground ground,
                                                        const Start& start) {
  const auto size = static_cast<Rank>(start.addresses.size());
  const auto rank = static_cast<std::size_t>(welcome.rank);
  return std::make_unique<transport::SharedMemoryExchange>(
      std::move(ground),
      LinksConfig{.self = welcome.rank,
                  .first_rank = 0,
                  .place = fmt::format(" on {}", start.addresses[rank].name),
                  .processors = static_cast<int>(std::thread::hardware_concurrency()),
                  .peer_timeout = welcome.options.peer_timeout},
      size, welcome.options.max_message_bytes);
}

}  // namespace lbsp::job
