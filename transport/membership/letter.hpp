#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/membership/member_set.hpp"
#include "transport/membership/view.hpp"
#include "transport/wire/byte_order.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {

/// What a new process is told that a decision has given a slot to: with it, it is a member of the next epoch.
///
///     body      0 32 bytes key of the epoch · 32 … SET members before · VALUE (both as in view_format.hpp) ·
///               u16 hosts that follow · u16 each
struct Letter {
  Epoch epoch = 0;   ///< the one that begins, which the datagram has before its body
  JobKey key = {};   ///< of that epoch
  MemberSet before;  ///< the members of the epoch that ended with the decision
  Decision value;
  std::vector<std::uint16_t> hosts = {};  ///< by slot, as EndpointConfig::hosts

  /// Of the epoch that begins.
  MemberSet members() const;
};

inline constexpr std::size_t longest_letter_bytes = 945;

/// The body. A letter has MemberSet::most hosts at most, and the writer room for longest_letter_bytes.
void write(WireWriter& out, const Letter& letter);
/// Nothing if it is cut short or holds what the format does not have. Its epoch is 0.
std::optional<Letter> read_letter(WireReader& in);

}  // namespace lbsp::transport
