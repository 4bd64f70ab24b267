#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transport/membership/member_set.hpp"

namespace lbsp::transport {

/// How often the members of a job have been agreed on anew; 0 at its start.
using Epoch = std::uint32_t;

/// A process's number, by its launcher, and random bytes: new for each process, so that none is taken for another that
/// had its slot.
struct Incarnation {
  /// `random`: for the rest of the bytes.
  static Incarnation of(std::uint32_t process, std::span<const std::uint8_t> random) {
    Incarnation made;
    for (std::size_t i = 0; i < made.bytes.size(); ++i)
      made.bytes[i] = static_cast<std::byte>(i < sizeof(process) ? process >> (8 * i) : random[i]);
    return made;
  }
  std::uint32_t process() const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < sizeof(number); ++i)
      number |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
    return number;
  }

  std::array<std::byte, 16> bytes{};

  friend bool operator==(const Incarnation&, const Incarnation&) = default;
};

/// Of two proposals the one with the higher ballot wins. Each proposer has ballots of its own. Round 0: none.
struct Ballot {
  std::uint32_t round = 0;
  std::uint16_t proposer = 0;  ///< a slot

  // clang-tidy 14 takes the 0 of a defaulted comparison for a pointer.
  friend auto operator<=>(const Ballot&, const Ballot&) = default;  // NOLINT(modernize-use-nullptr)
};

/// A new process for a slot whose process is lost.
struct Seat {
  Slot slot = 0;
  std::uint16_t spare = 0;  ///< the number of its host, as the caller numbers them
  Incarnation incarnation;

  friend bool operator==(const Seat&, const Seat&) = default;
};

/// What an epoch ends with, the same for all of its members.
struct Decision {
  static constexpr std::size_t most_seats = 16;

  MemberSet members;             ///< of the epoch, that go on in the next one
  std::uint64_t boundary = 0;    ///< where all of them go on from: the newest that each of them holds
  std::vector<Seat> seats = {};  ///< who takes the slots of others; a slot that is not named is gone

  friend bool operator==(const Decision&, const Decision&) = default;
};

/// Of the epoch that follows it, those that begin with it …
inline MemberSet new_members_after(const Decision& value) {
  MemberSet members;
  for (const Seat& seat : value.seats)
    members.add(seat.slot);
  return members;
}
/// … and all.
inline MemberSet members_after(const Decision& value) {
  return value.members | new_members_after(value);
}

/// The boundaries from which a process can go on: two, so that all have one in common while some are one ahead.
/// What a boundary is, is the caller's affair. 0 is the beginning of the job.
struct Held {
  std::uint64_t older = 0;
  std::uint64_t newest = 0;

  bool has(std::uint64_t boundary) const { return boundary == older || boundary == newest; }
  friend bool operator==(const Held&, const Held&) = default;
};

/// A value that a process has voted for.
struct Accepted {
  Ballot ballot;
  Decision value;

  friend bool operator==(const Accepted&, const Accepted&) = default;
};

/// All that one process has to say in an agreement. One that was said later replaces those before it, so that it does
/// not matter which of them arrive, and in which order.
struct View {
  Epoch epoch = 0;
  std::uint32_t version = 0;  ///< counts what its sender said in this epoch
  Ballot promised = {};       ///< its sender votes for nothing below
  std::optional<Accepted> accepted = {};
  std::optional<Decision> decided = {};
  MemberSet suspects = {};  ///< for whom its sender does not wait
  MemberSet hears = {};     ///< whom it has heard lately, itself included
  MemberSet ended = {};     ///< whose processes have ended, as it was told, and for all it knows
  MemberSet refused = {};   ///< to whom its sender's own host refuses to send
  Held held = {};

  friend bool operator==(const View&, const View&) = default;
};

}  // namespace lbsp::transport
