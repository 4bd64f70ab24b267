#include "lbsp/plan/given_protection.hpp"

#include <algorithm>

namespace lbsp::plan {

model::superstep::Protection given_protection(const transport::ExchangeOptions& options, int segments) {
  model::superstep::Protection given{.copies = options.copies};
  if (segments == 1) return given;
  if (options.longer_copies > 0) given.copies = options.longer_copies;
  if (options.repair_segments)
    given = {.copies = 1, .repair_segments = *options.repair_segments, .coded = true};
  if (options.protected_tail > 0)
    given.first_protected =
        segments - static_cast<int>(std::min(options.protected_tail, static_cast<std::uint32_t>(segments)));
  return given;
}

}  // namespace lbsp::plan
