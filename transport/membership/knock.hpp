#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transport/membership/letter.hpp"
#include "transport/wire/format.hpp"
#include "transport/wire/replay_window.hpp"
#include "transport/wire/sealing.hpp"

/// What a process that is to take a lost one's slot, a newcomer, says to the members before it is one of them, and what
/// they answer. Keys derive from the job's and from the newcomer's incarnation, so that no two processes ever have the
/// same; of letters, from the epoch too.
///
///     KNOCK     clear header (from its slot to be) · 16 bytes incarnation · sealed: u16 number of its host
///     SEAT      clear header (to that slot) · u32 epoch · sealed: letter.hpp
namespace lbsp::transport {

inline constexpr std::size_t knock_bytes = clear_header_bytes + sizeof(Incarnation) + 2 + tag_bytes;
inline constexpr std::size_t longest_letter_datagram_bytes =
    clear_header_bytes + sizeof(Epoch) + longest_letter_bytes + tag_bytes;

/// The newcomer's side.
class KnockChannel {
 public:
  KnockChannel(const JobKey& job_key, const Seat& seat, Slot size, Cipher cipher);

  /// The buffer has knock_bytes. Returns the datagram's length.
  std::size_t write(Slot to, std::span<std::byte> buffer);
  /// Decrypts in place. Nothing if it is not authentic or not for this newcomer.
  std::optional<Letter> read(std::span<std::byte> datagram) const;

 private:
  struct Peer {
    DirectionKey sealing;
    std::uint64_t next = 0;
  };

  JobKey job_key_;
  Seat seat_;
  Cipher cipher_;
  std::uint16_t tag_;
  std::vector<Peer> peers_;  ///< by slot
};

/// A member's side, for one newcomer.
class DoorChannel {
 public:
  DoorChannel(const JobKey& job_key, Slot self, const Seat& seat, Cipher cipher);

  /// Decrypts in place. The number of the newcomer's host; nothing if it is not authentic, or was there before.
  std::optional<std::uint16_t> read(std::span<std::byte> datagram);
  /// The buffer has longest_letter_datagram_bytes. All letters of one epoch must be the same. Returns the length.
  std::size_t write(const Letter& letter, std::span<std::byte> buffer);

 private:
  JobKey job_key_;
  Slot self_;
  Seat seat_;
  Cipher cipher_;
  std::uint16_t tag_;
  DirectionKey opening_;
  ReplayWindow numbers_;
  std::uint64_t letters_ = 0;
};

/// Who knocks, as far as the datagram's readable part tells.
std::optional<Seat> seat_in_knock(std::span<const std::byte> datagram);

}  // namespace lbsp::transport
