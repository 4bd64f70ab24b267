#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "transport/membership/view.hpp"
#include "transport/membership/view_format.hpp"
#include "transport/wire/format.hpp"
#include "transport/wire/replay_window.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {

inline constexpr std::size_t longest_view_datagram_bytes =
    clear_header_bytes + longest_view_bytes + tag_bytes;

/// The views of one epoch as datagrams: sealed under a key that derives from the epoch's, with packet numbers of their
/// own for each pair of slots.
class ViewChannel {
 public:
  ViewChannel(const JobKey& epoch_key, Slot self, const MemberSet& members, Cipher cipher);

  /// Writes a datagram into the buffer, which has longest_view_datagram_bytes. Returns its length.
  std::size_t write(Slot to, const View& view, std::span<std::byte> buffer);
  /// Decrypts in place. Nothing if it is not authentic, not of this epoch, not for this process, or was there before.
  std::optional<std::pair<Slot, View>> read(std::span<std::byte> datagram);

 private:
  struct Peer {
    DirectionKey sealing;
    DirectionKey opening;
    std::uint64_t next = 0;
    ReplayWindow numbers = {};
  };

  Slot self_;
  std::uint16_t tag_;
  std::vector<std::optional<Peer>> peers_;  ///< by slot
};

/// The key of the epoch that follows one with this key and number by this decision. Another decision gives another key,
/// so that what is of another world cannot be read.
JobKey next_epoch_key(const JobKey& key, Epoch epoch, const Decision& value);

}  // namespace lbsp::transport
