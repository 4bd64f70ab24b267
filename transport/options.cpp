#include "transport/options.hpp"

#include <fmt/format.h>

#include "transport/error.hpp"
#include "transport/redundancy.hpp"

namespace lbsp::transport {

void validate(const ExchangeOptions& options) {
  if (options.copies < 1 || options.copies > max_copies) {
    throw UsageError(fmt::format("{} copies of a segment: choose 1 to {}", options.copies, max_copies));
  }
  if (options.longer_copies < 0 || options.longer_copies > max_copies) {
    throw UsageError(fmt::format("{} copies of a longer message's segment: choose 1 to {}",
                                 options.longer_copies, max_copies));
  }
  const int repair = options.repair_segments.value_or(0);
  if (repair < 0 || repair > most_repair_segments) {
    throw UsageError(
        fmt::format("{} coded segments of a block: choose 0 to {}", repair, most_repair_segments));
  }
  if (!(options.rate.value > 0)) {
    throw UsageError(fmt::format("a rate of {} bytes per second: choose more than 0", options.rate.value));
  }
  if (options.datagram_bytes < min_datagram_bytes || options.datagram_bytes > max_datagram_bytes) {
    throw UsageError(fmt::format("datagrams of {} bytes: choose {} to {}", options.datagram_bytes,
                                 min_datagram_bytes, max_datagram_bytes));
  }
  if (options.max_message_bytes == 0) {
    throw UsageError("a message ceiling of 0 bytes: choose at least 1");
  }
  if (options.peer_timeout <= Duration::zero()) {
    throw UsageError("a peer timeout of 0: choose a positive time, such as 15s");
  }
  if (options.outlives_ranks && options.recovery != Recovery::receiver) {
    throw UsageError(
        "a job with the paper's rounds cannot go on without lost ranks: use --recovery receiver, or --on-failure "
        "abort");
  }
}

}  // namespace lbsp::transport
