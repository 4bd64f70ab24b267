#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/shared_memory/links.hpp"

namespace lbsp::transport::shared_memory {

/// Waits for messages as Inbox::await() does, and calls take(from, message) for each. Returns how many bytes they have.
template <class Take>
std::uint64_t receive(Inbox& inbox, const Inbox::Awaited& awaited, const Take& take) {
  inbox.await(awaited);
  std::uint64_t bytes = 0;
  for (const Rank from : awaited.sources) {
    const std::span<const std::byte> message = inbox.message(from, awaited.slot);
    take(from, message);
    bytes += message.size();
  }
  return bytes;
}

/// A superstep's second leg between the ranks of a host.
struct Replies {
  std::vector<Bytes> outgoing;  ///< by seat
  std::vector<Rank> destinations;
  std::vector<Rank> sources;
};
struct Replied {
  std::vector<Bytes> incoming;  ///< by seat
  std::uint64_t sent = 0;       ///< bytes
  std::uint64_t received = 0;
};

/// Sends the replies and waits for those of the sources, as Inbox::await() does. `superstep` counts those whose first
/// leg is over.
Replied exchange_replies(Links& links, const Replies& replies, std::uint64_t superstep);

}  // namespace lbsp::transport::shared_memory
