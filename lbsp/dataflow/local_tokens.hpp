#pragma once

#include <map>
#include <span>
#include <vector>

#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/kernel.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow {

/// The streams that one rank holds, and the tokens that it computes with them.
class LocalTokens {
 public:
  /// `graph` must outlive this.
  explicit LocalTokens(const Graph& graph) : graph_(graph) {}

  /// What the rank holds of it. Makes an initial stream at the first call.
  const StreamBytes& stream(StreamId id);
  void put(StreamId id, std::span<const std::byte> bytes);
  void drop(StreamId id) { held_.erase(id); }
  StreamBytes take(StreamId id);

  /// Computes a token and keeps what it writes. Returns the nanoseconds that the kernel took. Throws Error, which names
  /// the token, if the kernel throws.
  Ticks compute(TokenId id);

 private:
  const Graph& graph_;
  std::map<StreamId, StreamBytes> held_;
};

}  // namespace lbsp::dataflow
