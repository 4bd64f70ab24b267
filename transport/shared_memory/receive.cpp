#include "transport/shared_memory/receive.hpp"

namespace lbsp::transport::shared_memory {

Replied exchange_replies(Links& links, const Replies& replies, std::uint64_t superstep) {
  Replied done;
  for (const Rank to : replies.destinations) {
    const Bytes& message = replies.outgoing[static_cast<std::size_t>(to)];
    links.outbox().send_copy(to, Slot::reply, superstep, message);
    done.sent += message.size();
  }
  done.incoming.resize(static_cast<std::size_t>(links.seats()));
  done.received = receive(
      links.inbox(),
      {.slot = Slot::reply, .sequence = superstep, .sources = replies.sources, .superstep = superstep - 1},
      [&](Rank from, std::span<const std::byte> message) {
        done.incoming[static_cast<std::size_t>(from)] = Bytes(message.begin(), message.end());
      });
  return done;
}

}  // namespace lbsp::transport::shared_memory
