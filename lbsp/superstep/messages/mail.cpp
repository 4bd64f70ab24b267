#include "lbsp/superstep/messages/mail.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::superstep {

Mail::Mail(transport::Exchange& exchange)
    : exchange_(exchange),
      lending_(exchange.lending()),
      rank_(exchange.rank()),
      is_lent_(lending_ != nullptr),
      buffers_(exchange.size()),
      inbox_(static_cast<std::size_t>(exchange.size())),
      arrived_(static_cast<std::size_t>(exchange.size())) {}

std::span<std::byte> Mail::room(Rank to, std::size_t bytes, std::size_t used) {
  if (to != rank_) {
    if (is_lent_) return lending_->room(to, bytes, used);
    exchange_.check_message(to, bytes);
  }
  return buffers_.room(to, bytes, used);
}

void Mail::copy(Rank to, std::byte* place, std::span<const std::byte> bytes) {
  if (is_lent_ && to != rank_) return lending_->copy(to, place, bytes);
  MessageStorage::copy(to, place, bytes);
}

std::span<const std::span<const std::byte>> Mail::exchange(std::span<const std::size_t> lengths,
                                                           Ending ending, const Deed& meanwhile) {
  return exchange(lengths, ending, meanwhile, {});
}

std::span<const std::span<const std::byte>> Mail::exchange_and_work(std::span<const std::size_t> lengths,
                                                                    const Deed& meanwhile, const Work& work) {
  return exchange(lengths, Ending::sync, meanwhile, work);
}

/// `work`: none, or something.
std::span<const std::span<const std::byte>> Mail::exchange(std::span<const std::size_t> lengths,
                                                           Ending ending, const Deed& meanwhile,
                                                           const Work& work) {
  const auto own = static_cast<std::size_t>(rank_);
  // Others may still read what this rank has published, also if it fails.
  is_lent_ = false;
  Bytes to_itself = buffers_.take(rank_, lengths[own]);
  if (lending_ != nullptr) {
    std::ranges::copy(lending_->exchange(lengths, ending == Ending::end, meanwhile), arrived_.begin());
    if (work) work();
    is_lent_ = true;
  } else {
    meanwhile();
    exchange_buffers(lengths, ending, work);
  }
  buffers_.give(rank_, std::exchange(inbox_[own], std::move(to_itself)));
  arrived_[own] = inbox_[own];
  return arrived_;
}

std::span<const std::span<const std::byte>> Mail::exchange_alike(transport::Lending::Alike message,
                                                                 const Deed& meanwhile) {
  if (auto& to_itself = inbox_[static_cast<std::size_t>(rank_)]; !to_itself.empty())
    buffers_.give(rank_, std::exchange(to_itself, {}));
  is_lent_ = false;
  if (lending_ != nullptr) {
    const auto arrived = lending_->exchange_alike(message, meanwhile);
    is_lent_ = true;
    return arrived;
  }
  meanwhile();
  for (Rank to = 0; to < exchange_.size(); ++to) {
    if (to != rank_) std::ranges::copy(message, buffers_.room(to, message.size(), 0).begin());
  }
  exchange_buffers(std::vector<std::size_t>(arrived_.size(), message.size()), Ending::sync);
  return arrived_;
}

void Mail::exchange_buffers(std::span<const std::size_t> lengths, Ending ending, const Work& work) {
  std::vector<Bytes> outgoing(lengths.size());
  for (std::size_t to = 0; to < lengths.size(); ++to) {
    if (static_cast<Rank>(to) != rank_) outgoing[to] = buffers_.take(static_cast<Rank>(to), lengths[to]);
  }
  auto incoming = work                    ? exchange_.exchange_meanwhile(std::move(outgoing), work)
                  : ending == Ending::end ? exchange_.last_exchange(std::move(outgoing))
                                          : exchange_.exchange(std::move(outgoing));
  for (std::size_t from = 0; from < incoming.size(); ++from) {
    if (static_cast<Rank>(from) == rank_) continue;
    buffers_.give(static_cast<Rank>(from), std::exchange(inbox_[from], std::move(incoming[from])));
    arrived_[from] = inbox_[from];
  }
}

}  // namespace lbsp::superstep
