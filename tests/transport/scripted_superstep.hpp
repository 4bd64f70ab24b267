#pragma once

#include <gtest/gtest.h>

#include "scripted_network.hpp"

/// Whole supersteps over a scripted network.
namespace lbsp::transport::testing {

inline Bytes nothing(Rank, Rank) {
  return {};
}

inline bool is_data(const Passing& passing) {
  return passing.header.kind == DatagramKind::data;
}

inline double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// Runs one superstep and returns how long it took.
inline Duration superstep(ScriptedNetwork& network, const std::function<Bytes(Rank, Rank)>& message) {
  const Instant begin = network.now();
  network.begin_exchange(message);
  EXPECT_TRUE(network.run_exchange());
  for (Rank to = 0; to < network.size(); ++to) {
    const auto messages = network[to].take_messages();
    for (Rank from = 0; from < network.size(); ++from) {
      if (from != to) {
        EXPECT_EQ(messages[static_cast<std::size_t>(from)], message(from, to));
      }
    }
  }
  return network.now() - begin;
}

}  // namespace lbsp::transport::testing
