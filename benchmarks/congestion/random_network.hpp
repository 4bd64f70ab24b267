#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "transport/simulated/bottleneck.hpp"

/// Networks and messages drawn at random, for random_networks.
namespace lbsp::bench {

enum class Pattern : std::uint8_t { all_to_all, ring, gather, some, every_other };

using Messages = std::vector<std::vector<double>>;  ///< bytes, by sender and receiver

/// Hosts that each have a link up and one down, all with the same kind of queue.
struct RandomNetwork {
  int hosts = 2;
  int ranks_each = 1;
  double round_trip_ms = 0;
  double loss_percent = 0;
  std::string wan;
  std::vector<double> up;  ///< Mbit/s, by host
  std::vector<double> down;
  transport::BottleneckSpec link;
  double told_megabits = 0;  ///< to each host, for all of its ranks; 0: nothing is told
  std::size_t longest_datagram = 1472;
  Pattern pattern = Pattern::all_to_all;
  Messages messages;

  int ranks() const { return hosts * ranks_each; }
  int host_of(int rank) const { return rank / ranks_each; }
};

/// The same seed gives the same.
RandomNetwork network_of(std::uint64_t seed);

/// Of one superstep.
struct Least {
  double seconds;  ///< what the bytes take on the busiest link, and half a round trip
  double segments;
};
Least least_of(const RandomNetwork& network);

/// In words, for one line.
std::string name_of(const RandomNetwork& network);

}  // namespace lbsp::bench
