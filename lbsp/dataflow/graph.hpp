#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lbsp/dataflow/kernel.hpp"
#include "lbsp/dataflow/structure.hpp"

namespace lbsp::dataflow {

/// A program as tokens that read and write named streams. What follows what is said by the names alone: who reads a
/// stream runs after who writes it. All ranks make the same graph, and run() (lbsp/dataflow/run.hpp) runs it.
///
///     Graph graph;
///     const auto add = graph.kernel("add", [](const Inputs& in, Outputs& out) { … });
///     graph.initial("a", [] { return … });
///     graph.token("sum", add).reads("a").reads("b").writes("c");
///     graph.result("c");
class Graph {
 public:
  /// A token that is being described.
  class TokenCall {
   public:
    TokenCall& reads(std::string_view stream);
    /// `bytes` is what plans take the stream to have until it is there; 0: as much as the token reads.
    TokenCall& writes(std::string_view stream, std::uint64_t bytes = 0);
    /// Numbers for the kernel: Inputs::number().
    TokenCall& with(std::vector<std::int64_t> numbers);

   private:
    friend class Graph;
    TokenCall(Graph& graph, TokenId id) : graph_(graph), id_(id) {}

    Graph& graph_;
    TokenId id_;
  };

  /// What many tokens may run. Their times predict each other's, so tokens that do different things have kernels of
  /// their own.
  KernelId kernel(std::string name, Compute compute);
  TokenCall token(std::string name, KernelId kernel);
  /// A stream that no token writes, once for each. `bytes` is what plans take it to have.
  void initial(std::string_view stream, Supply supply, std::uint64_t bytes = 0);
  /// The program wants that stream in the end.
  void result(std::string_view stream);

  /// Has every kernel there is computed by what `around` makes of it, such as one that takes longer.
  void wrap_kernels(const std::function<Compute(Compute)>& around);

  /// Throws UsageError, which names the stream or the tokens: two tokens write a stream, or one writes an initial
  /// stream; a stream is read, or is a result, that nobody writes; tokens wait for each other in a circle; two tokens
  /// have one name; a kernel is not of this graph; a stream is initial twice; a kernel or an initial stream has an
  /// empty function. Returns what is odd but does no harm: a stream that nobody reads,
  /// and that is no result.
  std::vector<std::string> check() const;

  /// The graph by numbers. Only of a graph that passed check().
  Structure structure() const;

  struct Token {
    std::string name;
    KernelId kernel = 0;
    std::vector<StreamId> reads;
    std::vector<StreamId> writes;
    std::vector<std::int64_t> numbers;
  };
  struct Stream {
    std::string name;
    Supply supply;            ///< of an initial stream
    std::uint64_t bytes = 0;  ///< as told; 0: not
    bool result = false;
    std::uint8_t initials = 0;  ///< calls of initial(); 2: or more
  };
  struct Kernel {
    std::string name;
    Compute compute;
  };
  std::span<const Token> tokens() const { return tokens_; }
  std::span<const Stream> streams() const { return streams_; }
  std::span<const Kernel> kernels() const { return kernels_; }

  /// Of names, kernels and edges: equal graphs have equal digests.
  std::uint64_t digest() const;

 private:
  StreamId stream(std::string_view name);
  void check_tokens() const;
  void check_functions() const;
  void check_writers() const;
  void check_sources() const;

  std::vector<Token> tokens_;
  std::vector<Stream> streams_;
  std::vector<Kernel> kernels_;
  std::map<std::string, StreamId, std::less<>> names_;
};

}  // namespace lbsp::dataflow
