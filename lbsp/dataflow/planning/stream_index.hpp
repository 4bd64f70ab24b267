#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lbsp/dataflow/structure.hpp"

namespace lbsp::dataflow::planning {

/// Which workers hold which streams that tokens have produced. Initial streams are not in it: everyone has them.
class StreamIndex {
 public:
  explicit StreamIndex(std::size_t streams) : holders_(streams) {}

  /// Ascending.
  std::span<const Worker> holders(StreamId stream) const { return holders_[stream]; }
  bool holds(Worker worker, StreamId stream) const;

  void add(StreamId stream, Worker holder);
  /// Nobody holds it any more.
  void drop(StreamId stream) { holders_[stream].clear(); }
  /// The worker is gone, with all that it held.
  void drop_worker(Worker worker);

 private:
  std::vector<std::vector<Worker>> holders_;
};

}  // namespace lbsp::dataflow::planning
