#pragma once

#include <cstdint>
#include <vector>

#include "lbsp/dataflow/planning/estimates.hpp"
#include "lbsp/dataflow/planning/stream_index.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow::planning {

/// What one token would have to fetch on each worker. Costs inputs · holders and one pass over the workers a token.
class Fetches {
 public:
  /// All must outlive this.
  Fetches(const Structure& graph, const StreamIndex& index, const Estimates& estimates)
      : graph_(graph), index_(index), estimates_(estimates), held_(estimates.send.size()) {}

  /// From here on, of that token.
  void consider(TokenId token);

  /// The time to fetch what the worker lacks.
  Ticks of(Worker worker) const { return all_ - held(worker).saves; }
  /// It has inputs that were produced, which somebody may have to send.
  bool reads_produced() const { return streams_ > 0; }
  /// The worker has all of its produced inputs, of which there are some.
  bool has_all(Worker worker) const { return streams_ > 0 && held(worker).streams == streams_; }
  bool somebody_has_all() const { return streams_ > 0 && most_streams_ == streams_; }
  /// Bytes of its produced inputs, without those that the worker with most of them has.
  std::uint64_t postfix() const { return bytes_ - most_bytes_; }

 private:
  /// Of the token's produced inputs, what one worker has.
  struct Held {
    std::size_t streams = 0;
    std::uint64_t bytes = 0;
    Ticks saves = 0;
  };

  const Held& held(Worker worker) const { return held_[static_cast<std::size_t>(worker)]; }

  const Structure& graph_;
  const StreamIndex& index_;
  const Estimates& estimates_;
  std::vector<Held> held_;
  std::size_t streams_ = 0;
  std::uint64_t bytes_ = 0;
  Ticks all_ = 0;
  std::size_t most_streams_ = 0;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace lbsp::dataflow::planning
