#include "lbsp/dataflow/planning/fetches.hpp"

#include <algorithm>

namespace lbsp::dataflow::planning {

void Fetches::consider(TokenId token) {
  std::ranges::fill(held_, Held{});
  streams_ = 0;
  bytes_ = 0;
  all_ = 0;
  most_streams_ = 0;
  most_bytes_ = 0;
  for (const StreamId input : graph_.token(token).inputs) {
    if (!graph_.produced(input)) continue;
    const std::uint64_t bytes = estimates_.bytes[input];
    const Ticks time = estimates_.move(bytes, index_.holders(input));
    ++streams_;
    bytes_ += bytes;
    all_ += time;
    for (const Worker holder : index_.holders(input)) {
      Held& of = held_[static_cast<std::size_t>(holder)];
      ++of.streams;
      of.bytes += bytes;
      of.saves += time;
      most_streams_ = std::max(most_streams_, of.streams);
      most_bytes_ = std::max(most_bytes_, of.bytes);
    }
  }
}

}  // namespace lbsp::dataflow::planning
