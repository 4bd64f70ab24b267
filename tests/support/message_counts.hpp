#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lbsp/world.hpp"

namespace lbsp::test {

/// What a program sent in one superstep, all ranks together. Every ordered pair of ranks exchanges a message
/// in every superstep, whether the program has something to say or not.
struct MessageCounts {
  std::uint64_t with_data = 0;  ///< messages that carry puts, gets or sends: the model's c(n), in messages
  std::uint64_t empty = 0;      ///< the others, which say no more than that nothing comes
  std::uint64_t longest = 0;    ///< bytes of the longest
  std::uint64_t most_from_one_rank = 0;  ///< messages with data of the busiest sender: the model's h

  friend bool operator==(const MessageCounts&, const MessageCounts&) = default;
};

/// A job's messages, superstep by superstep, and the datagrams that carried them.
struct JobCounts {
  std::vector<MessageCounts> supersteps;  ///< the program's own, without its end
  std::uint64_t datagrams = 0;  ///< first transmissions of segments, the end's empty messages included
};

/// Runs `program` on `ranks` ranks over a simulated network that loses nothing, k = 1, with datagrams of
/// `datagram_bytes`. Throws what a rank throws.
JobCounts count_messages(Rank ranks, std::size_t datagram_bytes, const std::function<void(World&)>& program);

}  // namespace lbsp::test
