#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lbsp/dataflow/digest.hpp"
#include "lbsp/dataflow/graph.hpp"

namespace lbsp::dataflow {

using Number = std::uint64_t;
using Results = std::map<std::string, StreamBytes, std::less<>>;

inline StreamBytes bytes_of(Number number) {
  StreamBytes bytes(sizeof(number));
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

/// Mixes all inputs into each output, which has as many values as its number in the token says and one more.
inline void mix(const Inputs& in, Outputs& out) {
  Digest digest;
  for (std::size_t i = 0; i < in.count(); ++i)
    for (const Number each : in.values<Number>(i))
      digest.add(each);
  digest.add(static_cast<Number>(in.number(0)));
  for (std::size_t i = 0; i < out.count(); ++i) {
    for (Number& each : out.make<Number>(i, 1 + i * 500)) {
      digest.add(i);
      each = digest.value();
    }
  }
}

/// Any edges from lower to higher tokens, up to two outputs each, kernels in turns.
inline Graph random_graph(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Graph graph;
  const KernelId kernels[] = {graph.kernel("mix", mix), graph.kernel("mix again", mix)};
  std::vector<std::string> streams;
  for (Number i = 0; i < 3; ++i) {
    streams.push_back(fmt::format("initial/{}", i));
    graph.initial(streams.back(), [i] { return bytes_of(i * i + 7); });
  }
  for (std::int64_t token = 0; token < 60; ++token) {
    auto call = graph.token(fmt::format("token/{}", token), kernels[token % 2]).with({token});
    const std::uint64_t reads = random() % 4;
    for (std::uint64_t i = 0; i < reads; ++i)
      call.reads(streams[random() % streams.size()]);
    const std::uint64_t writes = 1 + random() % 2;
    for (std::uint64_t i = 0; i < writes; ++i) {
      const std::string name = fmt::format("stream/{}/{}", token, i);
      call.writes(name);
      if (random() % 4 == 0) graph.result(name);
    }
    for (std::uint64_t i = 0; i < writes; ++i)
      streams.push_back(fmt::format("stream/{}/{}", token, i));
  }
  graph.result("initial/1");
  return graph;
}

/// The results, by one process that knows nothing of plans.
inline Results computed_alone(const Graph& graph) {
  std::map<StreamId, StreamBytes> held;
  for (StreamId id = 0; id < graph.streams().size(); ++id)
    if (graph.streams()[id].supply) held[id] = graph.streams()[id].supply();
  for (const Graph::Token& token : graph.tokens()) {
    std::vector<std::span<const std::byte>> read;
    for (const StreamId id : token.reads)
      read.emplace_back(held.at(id));
    Outputs outputs(token.writes.size());
    graph.kernels()[token.kernel].compute(Inputs(std::move(read), token.numbers), outputs);
    const auto written = outputs.take();
    for (std::size_t i = 0; i < written.size(); ++i)
      held[token.writes[i]] = written[i];
  }
  std::map<std::string, StreamBytes, std::less<>> results;
  for (StreamId id = 0; id < graph.streams().size(); ++id)
    if (graph.streams()[id].result) results[graph.streams()[id].name] = held.at(id);
  return results;
}

/// `levels` of `pieces`. Each token reads what the one above it wrote, and a short stream of both neighbours of that:
/// as relaxation does. Its kernel is `mix`, or calls `before` first, with the token's number.
inline Graph rows_graph(int pieces, int levels, const std::function<void(std::int64_t)>& before = {}) {
  Graph graph;
  const KernelId kernel = graph.kernel("row", [before](const Inputs& in, Outputs& out) {
    if (before) before(in.number(0));
    mix(in, out);
  });
  for (int level = 0; level < levels; ++level) {
    for (int piece = 0; piece < pieces; ++piece) {
      auto token = graph.token(fmt::format("{}/{}", level, piece), kernel).with({level * pieces + piece});
      if (level > 0) {
        token.reads(fmt::format("whole/{}/{}", level - 1, piece));
        if (piece > 0) token.reads(fmt::format("edge/{}/{}", level - 1, piece - 1));
        if (piece + 1 < pieces) token.reads(fmt::format("edge/{}/{}", level - 1, piece + 1));
      }
      token.writes(fmt::format("edge/{}/{}", level, piece), sizeof(Number))
          .writes(fmt::format("whole/{}/{}", level, piece), 501 * sizeof(Number));
      if (level == levels - 1) graph.result(fmt::format("whole/{}/{}", level, piece));
    }
  }
  return graph;
}

}  // namespace lbsp::dataflow
