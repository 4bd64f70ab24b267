#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::dataflow {

/// Tokens and streams by number, in the order in which the program named them.
using TokenId = std::uint32_t;
using StreamId = std::uint32_t;
/// The number of a kernel: what a token runs. Tokens of one kernel are taken to need the same time for each byte that
/// they read.
using KernelId = std::uint32_t;
/// Who runs tokens: a rank of the world.
using Worker = Rank;

inline constexpr Worker no_worker = -1;

/// In vectors by worker.
constexpr std::size_t place_of(Worker worker) {
  return static_cast<std::size_t>(worker);
}

inline constexpr TokenId no_token = std::numeric_limits<TokenId>::max();

/// A dataflow graph without its names, kernels and bytes: what a plan needs of it.
///
/// The level of a token is 0 if no token produces any of its inputs, else 1 + the largest level of those that do. So
/// the tokens of a level do not depend on each other.
class Structure {
 public:
  struct Token {
    std::vector<StreamId> inputs;  ///< each once, ascending
    std::vector<StreamId> outputs;
    int level = 0;
  };
  struct Stream {
    TokenId producer = no_token;     ///< none: an initial stream, which every worker has
    std::vector<TokenId> consumers;  ///< ascending
    bool result = false;             ///< the program wants it in the end
  };

  Structure() = default;
  /// `inputs` and `outputs` of each token; every stream is below `streams` and in at most one `outputs`.
  Structure(std::vector<std::vector<StreamId>> inputs, std::vector<std::vector<StreamId>> outputs,
            std::size_t streams);

  std::size_t tokens() const { return tokens_.size(); }
  std::size_t streams() const { return streams_.size(); }
  const Token& token(TokenId id) const { return tokens_[id]; }
  const Stream& stream(StreamId id) const { return streams_[id]; }
  bool produced(StreamId id) const { return streams_[id].producer != no_token; }
  void mark_result(StreamId id) { streams_[id].result = true; }

  std::size_t levels() const { return levels_.size(); }
  /// The tokens of a level, ascending.
  std::span<const TokenId> level(std::size_t number) const { return levels_[number]; }

  /// A cycle of tokens, each of which reads what the one before it writes, and the first what the last one does.
  /// Empty if there is none; otherwise levels are not known.
  const std::vector<TokenId>& cycle() const { return cycle_; }

 private:
  void find_levels();
  void find_cycle(std::span<const std::size_t> waits_for);

  std::vector<Token> tokens_;
  std::vector<Stream> streams_;
  std::vector<std::vector<TokenId>> levels_;
  std::vector<TokenId> cycle_;
};

/// The worker of each token, by TokenId.
using Mapping = std::vector<Worker>;

}  // namespace lbsp::dataflow
