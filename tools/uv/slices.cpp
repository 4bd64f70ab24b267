#include "tools/uv/slices.hpp"

namespace lbsp::uv {

void Slices::begin() {
  if (!timer_.running()) timer_.start(std::chrono::milliseconds{0}, [this] { slice(); });
}

void Slices::slice() {
  const auto end = std::chrono::steady_clock::now() + longest;
  while (step_()) {
    if (std::chrono::steady_clock::now() < end) continue;
    // Not at once: the loop calls such a timer again before it looks at anything else.
    return timer_.start(std::chrono::milliseconds{1}, [this] { slice(); });
  }
}

}  // namespace lbsp::uv
