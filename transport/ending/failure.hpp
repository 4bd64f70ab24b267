#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "transport/units.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Why an endpoint cannot go on. A value, not an exception: it arises on the packet path.
struct Failure {
  enum class Kind { peer_lost, aborted, out_of_memory, excluded };
  Kind kind;
  Rank rank;            ///< who is silent or cut off, who aborted, who has no memory, who is left out
  std::string message;  ///< one line: what is wrong: what to do
};

/// The failure that an ABORT tells of, the same on every rank. `places` are by rank; there may be none.
Failure failure_from(const AbortNotice& notice, const std::vector<std::string>& places);

/// A rank and where it is, as in `rank 3 on node4 at 10.0.0.4:4000`.
std::string name_of(Rank rank, const std::vector<std::string>& places);

/// A time of silence, as an ABORT tells it.
std::uint32_t milliseconds_of(Duration duration);

/// Why a peer that is heard does not get, or does not send, what it should, as far as one can tell from the
/// size of the longest datagrams that were sent and of the largest that has passed; 0: none. For an error message.
std::string likely_cause(std::size_t longest_sent, std::size_t largest_passed);

/// Throws the exception of transport/error.hpp that stands for the failure.
[[noreturn]] void throw_failure(const Failure& failure);

}  // namespace lbsp::transport
