#pragma once

#include <cstddef>
#include <string>

namespace lbsp::transport {

/// Why a peer that is heard does not get, or does not send, what it should, as far as one can tell from the
/// datagrams that ought to pass and the largest one that has passed, in bytes: for an error message.
std::string likely_cause(std::size_t expected_datagram, std::size_t largest_passed);

}  // namespace lbsp::transport
