#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "lbsp/dataflow/planning/estimates.hpp"
#include "lbsp/dataflow/structure.hpp"

namespace lbsp::dataflow::comparison {

/// A graph in which each token writes one stream, of the same number, and reads those of these tokens.
inline Structure one_stream_each(const std::vector<std::vector<TokenId>>& reads) {
  std::vector<std::vector<StreamId>> outputs;
  for (StreamId id = 0; id < reads.size(); ++id)
    outputs.push_back({id});
  return {reads, std::move(outputs), reads.size()};
}

/// A level that loads `pieces` (a power of two), and log2(pieces) levels of butterflies.
inline Structure fft_shape(std::uint32_t pieces) {
  std::vector<std::vector<TokenId>> reads(pieces);
  std::uint32_t above = 0;
  for (std::uint32_t distance = 1; distance < pieces; distance *= 2, above += pieces) {
    for (std::uint32_t i = 0; i < pieces; ++i)
      reads.push_back({above + i, above + (i ^ distance)});
  }
  return one_stream_each(reads);
}

/// `levels` of `pieces`, each of which reads itself and its neighbours of the level above.
inline Structure jacobi_shape(std::uint32_t pieces, std::uint32_t levels) {
  std::vector<std::vector<TokenId>> reads(pieces);
  for (std::uint32_t level = 1; level < levels; ++level) {
    const std::uint32_t above = (level - 1) * pieces;
    for (std::uint32_t i = 0; i < pieces; ++i) {
      auto& own = reads.emplace_back();
      for (std::uint32_t from = i == 0 ? 0 : i - 1; from <= std::min(i + 1, pieces - 1); ++from)
        own.push_back(above + from);
    }
  }
  return one_stream_each(reads);
}

/// Workers of different speeds, and tokens and streams of about one size: everything that a seed decides.
struct RandomCase {
  Structure graph;
  std::vector<std::vector<Ticks>> takes;  ///< [token][worker]
  planning::Estimates estimates;

  RandomCase(Structure shape, Worker workers, std::uint64_t seed) : graph(std::move(shape)) {
    std::mt19937_64 random(seed);
    const auto between = [&](Ticks least, Ticks most) {
      return least + static_cast<Ticks>(random() % static_cast<std::uint64_t>(most - least + 1));
    };
    std::vector<Ticks> slowness;
    for (Worker worker = 0; worker < workers; ++worker)
      slowness.push_back(between(100, 400));
    const Ticks size = between(1, 8);
    for (TokenId token = 0; token < graph.tokens(); ++token) {
      const Ticks work = graph.token(token).level == 0 ? between(90, 110) : between(180, 220);
      auto& own = takes.emplace_back();
      for (const Ticks each : slowness)
        own.push_back(work * each / 100);
      estimates.bytes.push_back(static_cast<std::uint64_t>(size));
    }
    estimates.send.assign(slowness.size(), Transfer{between(1, 20), between(1, 20) * 1'000'000});
    estimates.run = [takes = takes](TokenId token, Worker worker) {
      return takes[token][static_cast<std::size_t>(worker)];
    };
  }
};

}  // namespace lbsp::dataflow::comparison
