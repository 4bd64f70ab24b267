#include "transport/core/likely_cause.hpp"

#include <fmt/format.h>

#include "transport/core/datagram_sizes.hpp"

namespace lbsp::transport {

std::string likely_cause(std::size_t expected_datagram, std::size_t largest_passed) {
  if (expected_datagram > common_datagram_bytes && largest_passed <= common_datagram_bytes) {
    return fmt::format("datagrams of {} bytes seem to be too large for the path, try --datagram {}",
                       expected_datagram, common_datagram_bytes);
  }
  return "look for a filter, a full receive buffer or a stopped process on the way";
}

}  // namespace lbsp::transport
