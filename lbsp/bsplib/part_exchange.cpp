#include "lbsp/bsplib/part_exchange.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::bsplib {

PartExchange::PartExchange(transport::Exchange& job, Rank size)
    : job_(job), lending_(job.lending()), size_(size), lengths_(static_cast<std::size_t>(job.size())) {}

std::vector<Bytes> PartExchange::exchange(std::vector<Bytes> outgoing) {
  outgoing.resize(lengths_.size());
  auto incoming = job_.exchange(std::move(outgoing));
  incoming.resize(static_cast<std::size_t>(size_));
  return incoming;
}

std::vector<Bytes> PartExchange::reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                                       const std::vector<Rank>& sources) {
  outgoing.resize(lengths_.size());
  auto incoming = job_.reply(std::move(outgoing), destinations, sources);
  incoming.resize(static_cast<std::size_t>(size_));
  return incoming;
}

std::span<const std::span<const std::byte>> PartExchange::exchange(std::span<const std::size_t> lengths,
                                                                   bool /*last*/) {
  std::ranges::copy(lengths, lengths_.begin());
  return lending_->exchange(lengths_, false).first(static_cast<std::size_t>(size_));
}

}  // namespace lbsp::bsplib
