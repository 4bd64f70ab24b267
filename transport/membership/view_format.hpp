#pragma once

#include <cstddef>
#include <optional>

#include "transport/membership/view.hpp"
#include "transport/wire/byte_order.hpp"

/// How a view is written in a datagram. All integers are unsigned and little-endian.
///
///     VIEW      0 u32 epoch · 4 u32 version · 8 u32 round promised · 12 u16 its proposer · 14 u8 flags (1: a vote
///               follows; 2: what is decided follows) · 15 u64 older boundary held · 23 u64 newest · 31 … SET
///               suspects · SET heard · SET ended · SET refused · vote: u32 round · u16 proposer · VALUE ·
///               decided: VALUE
///     SET       0 u8 bytes that follow, 32 at most, the last of them not 0 · 1 … bit i of byte i/8: slot i is in it
///     VALUE     SET members · u64 boundary · u8 seats, 16 at most · for each: u16 slot · u16 spare · 16 bytes
///               incarnation
namespace lbsp::transport {

/// No view is longer: it fits one datagram on every path that lbsp takes.
inline constexpr std::size_t longest_view_bytes = 893;

/// The writer must have room for longest_view_bytes. Throws nothing; a value has Decision::most_seats at most.
void write(WireWriter& out, const View& view);
void write(WireWriter& out, const Decision& value);
void write(WireWriter& out, const MemberSet& set);

/// Nothing if it is cut short or holds what the format does not have. There is one way only to write a view.
std::optional<View> read_view(WireReader& in);
std::optional<Decision> read_decision(WireReader& in);
std::optional<MemberSet> read_set(WireReader& in);

}  // namespace lbsp::transport
