#include "lbsp/dataflow/planning/stream_index.hpp"

#include <algorithm>

namespace lbsp::dataflow::planning {

bool StreamIndex::holds(Worker worker, StreamId stream) const {
  return std::ranges::binary_search(holders_[stream], worker);
}

void StreamIndex::add(StreamId stream, Worker holder) {
  auto& holders = holders_[stream];
  const auto place = std::ranges::lower_bound(holders, holder);
  if (place == holders.end() || *place != holder) holders.insert(place, holder);
}

void StreamIndex::drop_worker(Worker worker) {
  for (auto& holders : holders_)
    std::erase(holders, worker);
}

}  // namespace lbsp::dataflow::planning
