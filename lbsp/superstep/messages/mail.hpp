#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lbsp/superstep/messages/layout.hpp"
#include "transport/exchange.hpp"
#include "transport/message_storage.hpp"

namespace lbsp::superstep {

/// The messages of one rank's supersteps: written in memory that the backend lends, or else in buffers, exchanged with
/// the other ranks, and read where they have arrived. The message of the rank to itself never leaves.
class Mail final : public transport::MessageStorage {
 public:
  using Deed = transport::Lending::Deed;
  using Work = transport::Exchange::Work;

  explicit Mail(transport::Exchange& exchange);

  /// For the next exchange(). After an exchange that has failed, what is written there goes nowhere.
  std::span<std::byte> room(Rank to, std::size_t bytes, std::size_t used) override;
  void copy(Rank to, std::byte* place, std::span<const std::byte> bytes) override;

  /// Exchanges the first lengths[j] bytes of each rank's room, and does `meanwhile` while it waits, or before. Returns
  /// the messages by source, which stay until the next call. Throws what the backend throws.
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths, Ending ending,
                                                       const Deed& meanwhile);
  /// The same in a superstep that another one follows, and does `work` as Exchange::exchange_meanwhile().
  std::span<const std::span<const std::byte>> exchange_and_work(std::span<const std::size_t> lengths,
                                                                const Deed& meanwhile, const Work& work);
  /// The same in a superstep that another one follows, with one message for all others. The own entry is any.
  std::span<const std::span<const std::byte>> exchange_alike(transport::Lending::Alike message,
                                                             const Deed& meanwhile);

 private:
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths, Ending ending,
                                                       const Deed& meanwhile, const Work& work);
  void exchange_buffers(std::span<const std::size_t> lengths, Ending ending, const Work& work = {});

  transport::Exchange& exchange_;
  transport::Lending* lending_;  ///< none: messages are handed over
  Rank rank_;
  bool is_lent_;  ///< the rooms of the other ranks are the backend's
  transport::MessageBuffers buffers_;
  std::vector<Bytes> inbox_;                         ///< by source; only the own one where memory is lent
  std::vector<std::span<const std::byte>> arrived_;  ///< by source
};

}  // namespace lbsp::superstep
