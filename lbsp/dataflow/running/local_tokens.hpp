#pragma once

#include <span>
#include <vector>

#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/kernel.hpp"
#include "lbsp/dataflow/survival/held_streams.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow::running {

/// The tokens that one rank computes, with the streams that it holds.
class LocalTokens {
 public:
  /// Both must outlive this.
  LocalTokens(const Graph& graph, survival::HeldStreams& held) : graph_(graph), held_(held) {}

  /// What the rank holds of it. Makes an initial stream at the first call; throws Error, which names the stream, if its
  /// function throws.
  const StreamBytes& stream(StreamId id);
  void put(StreamId id, std::span<const std::byte> bytes) { held_.put(id, {bytes.begin(), bytes.end()}); }

  /// Computes a token and keeps what it writes. Returns the nanoseconds that the kernel took. Throws Error, which names
  /// the token, if the kernel throws.
  Ticks compute(TokenId id);

 private:
  const Graph& graph_;
  survival::HeldStreams& held_;
};

}  // namespace lbsp::dataflow::running
