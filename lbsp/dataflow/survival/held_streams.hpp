#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "lbsp/dataflow/kernel.hpp"
#include "lbsp/dataflow/structure.hpp"

namespace lbsp::dataflow::survival {

/// The streams that one rank holds. Those that nobody reads any more may be kept as *spare* ones: where a rank is lost,
/// they save others from computing them again.
class HeldStreams {
 public:
  /// None: it is not held.
  const StreamBytes* find(StreamId id) const;
  /// What is held of it from here on; it is not spare.
  const StreamBytes& put(StreamId id, StreamBytes bytes);
  void drop(StreamId id);
  StreamBytes take(StreamId id);

  /// It is spare from here on, if it is held.
  void make_spare(StreamId id);
  /// Nothing is spare any more.
  void keep_all();
  /// The one that has been spare for longest is dropped, as long as there are more bytes of them.
  void drop_spare(std::uint64_t most_bytes);
  std::uint64_t spare_bytes() const { return spare_bytes_; }

  /// Ascending.
  std::vector<StreamId> ids() const;

 private:
  struct Held {
    StreamBytes bytes;
    bool spare = false;
  };

  void forget_spare(Held& held);

  std::map<StreamId, Held> held_;
  std::deque<StreamId> spare_;  ///< the oldest first; also such as are spare no longer
  std::uint64_t spare_bytes_ = 0;
};

}  // namespace lbsp::dataflow::survival
