#include "lbsp/bsplib/part_exchange.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::bsplib {

PartExchange::PartExchange(transport::Exchange& job, Rank size)
    : ForwardingExchange(job), size_(size), lengths_(static_cast<std::size_t>(job.size())) {}

std::vector<Bytes> PartExchange::exchange(std::vector<Bytes> outgoing) {
  outgoing.resize(lengths_.size());
  return of_the_part(ForwardingExchange::exchange(std::move(outgoing)));
}

std::vector<Bytes> PartExchange::last_exchange(std::vector<Bytes> outgoing) {
  return exchange(std::move(outgoing));
}

std::vector<Bytes> PartExchange::reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                                       const std::vector<Rank>& sources) {
  outgoing.resize(lengths_.size());
  return of_the_part(ForwardingExchange::reply(std::move(outgoing), destinations, sources));
}

std::span<const std::span<const std::byte>> PartExchange::exchange(std::span<const std::size_t> lengths,
                                                                   bool /*last*/, const Deed& meanwhile) {
  std::ranges::copy(lengths, lengths_.begin());
  return ForwardingExchange::exchange(lengths_, false, meanwhile).first(static_cast<std::size_t>(size_));
}

/// Those that are not in the part get nothing.
std::span<const std::span<const std::byte>> PartExchange::exchange_alike(Alike message,
                                                                         const Deed& meanwhile) {
  const auto size = static_cast<std::size_t>(size_);
  if (size == lengths_.size()) return ForwardingExchange::exchange_alike(message, meanwhile);
  for (Rank to = 0; to < size_; ++to)
    if (to != rank()) std::ranges::copy(message, room(to, message.size(), 0).begin());
  return exchange(std::vector<std::size_t>(size, message.size()), false, meanwhile);
}

std::vector<Bytes> PartExchange::of_the_part(std::vector<Bytes> incoming) const {
  incoming.resize(static_cast<std::size_t>(size_));
  return incoming;
}

}  // namespace lbsp::bsplib
