#include "transport/exchange_copies.hpp"

namespace lbsp::transport {

std::vector<Bytes> exchange_copies(Lending& lending, Rank self, const std::vector<Bytes>& outgoing,
                                   bool last) {
  std::vector<std::size_t> lengths;
  lengths.reserve(outgoing.size());
  for (const Bytes& message : outgoing) {
    const auto to = static_cast<Rank>(lengths.size());
    lengths.push_back(message.size());
    if (to == self) continue;
    const auto room = lending.room(to, message.size(), 0);
    if (!message.empty()) lending.copy(to, room.data(), message);
  }
  std::vector<Bytes> incoming;
  incoming.reserve(outgoing.size());
  for (const auto message : lending.exchange(lengths, last, [] {}))
    incoming.emplace_back(message.begin(), message.end());
  return incoming;
}

}  // namespace lbsp::transport
