#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace lbsp::benchmark {

/// What a rank of the comparison on one machine is told: PROGRAM BYTES BATCHES SUPERSTEPS [filled|marked].
struct Work {
  std::size_t bytes;  ///< from each rank to each other one, in each superstep; 0: the superstep is empty
  int batches;        ///< that are timed
  int supersteps;     ///< of each batch
  /// A superstep writes all that it sends and reads all that it gets, as a program does that computes. Otherwise only
  /// the first and the last byte: then a receiver may find in its own cache what it has read in the superstep before.
  bool filled;
};

inline Work work_from(int count, char** words) {
  if (count < 4) {
    std::fputs("lbsp: BYTES BATCHES SUPERSTEPS are missing: see benchmarks/one_machine/compare.py\n", stderr);
    std::exit(1);
  }
  const std::string_view values = count > 4 ? words[4] : "marked";
  const bool filled = values == "filled";
  if (!filled && values != "marked") {
    std::fputs("lbsp: the fourth word says how much a superstep writes: give filled or marked\n", stderr);
    std::exit(1);
  }
  return {std::strtoull(words[1], nullptr, 10), std::atoi(words[2]), std::atoi(words[3]), filled};
}

/// Writes a message of a superstep.
inline void write_values(const Work& work, std::span<std::byte> message, std::byte mark) {
  if (work.filled) {
    std::memset(message.data(), std::to_integer<int>(mark), message.size());
  } else {
    message.front() = message.back() = mark;
  }
}

/// Whether the message is the superstep's: what is timed has been carried.
inline bool has_values(const Work& work, std::span<const std::byte> message, std::byte mark) {
  if (message.size() != work.bytes || message.front() != mark || message.back() != mark) return false;
  if (!work.filled) return true;
  std::uint64_t expected = 0;
  std::memset(&expected, std::to_integer<int>(mark), sizeof(expected));
  std::uint64_t others = 0;
  for (std::size_t at = 0; at + sizeof(expected) <= message.size(); at += sizeof(expected)) {
    std::uint64_t word = 0;
    std::memcpy(&word, message.data() + at, sizeof(word));
    others |= word ^ expected;
  }
  return others == 0;
}

/// The time of a superstep in microseconds: the median of the batches' means, after one that is not timed.
template <class Superstep>
double microseconds_of(const Work& work, Superstep superstep) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> means;
  for (int batch = 0; batch <= work.batches; ++batch) {
    const auto began = Clock::now();
    for (int step = 0; step < work.supersteps; ++step)
      superstep();
    const std::chrono::duration<double, std::micro> took = Clock::now() - began;
    if (batch > 0) means.push_back(took.count() / work.supersteps);
  }
  std::sort(means.begin(), means.end());
  return means[means.size() / 2];
}

}  // namespace lbsp::benchmark
