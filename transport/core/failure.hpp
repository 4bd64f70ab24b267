#pragma once

#include <string>
#include <vector>

#include "transport/units.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Why an endpoint cannot go on. A value, not an exception: it arises on the packet path.
struct Failure {
  enum class Kind { peer_lost, aborted, out_of_memory };
  Kind kind;
  Rank rank;            ///< who is silent, who aborted, who has no memory
  std::string message;  ///< one line: what is wrong: what to do
};

/// The failure that an ABORT tells of, the same on every rank. `addresses` are by rank, and may be none.
Failure failure_from(const AbortNotice& notice, const std::vector<std::string>& addresses);

/// Throws the exception of transport/error.hpp that stands for the failure.
[[noreturn]] void throw_failure(const Failure& failure);

}  // namespace lbsp::transport
