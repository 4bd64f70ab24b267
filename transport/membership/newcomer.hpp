#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "transport/membership/knock.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// A process that is to take a lost one's slot, until it has it: knocks at all slots, and waits for a letter. A state
/// machine without I/O.
class Newcomer {
 public:
  /// `seat`: the slot, the number of this host, and an incarnation that no other process ever has.
  Newcomer(const JobKey& job_key, const Seat& seat, Slot size, Cipher cipher, Instant now);

  void handle_datagram(std::span<std::byte> datagram);
  /// Writes a knock that is due into the buffer, which has knock_bytes. Returns whose it is, and its length.
  std::optional<std::pair<Slot, std::size_t>> poll_transmit(std::span<std::byte> buffer, Instant now);
  Instant next_timeout() const;

  const std::optional<Letter>& letter() const { return letter_; }

 private:
  KnockChannel channel_;
  Slot self_;
  Slot size_;
  Slot next_ = 0;  ///< whose turn it is in this round; size_: the round is over
  Instant round_;  ///< when the next one begins
  std::optional<Letter> letter_;
};

}  // namespace lbsp::transport
