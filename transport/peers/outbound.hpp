#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/messages/open_messages.hpp"
#include "transport/messages/outgoing_message.hpp"
#include "transport/messages/send_queue.hpp"
#include "transport/paths/path_estimate.hpp"
#include "transport/peers/receive_room.hpp"
#include "transport/wire/echo.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {

/// What this rank sends to one peer.
struct Outbound {
  DirectionKey sealing;
  std::uint64_t next_packet = 0;
  std::uint8_t questions = 0;  ///< of SIZE, that were the last datagrams
  std::size_t longest = 0;     ///< the longest datagram that was no question, bytes
  FlightLimit flight;
  Instant unanswered_since = {};  ///< what was sent first of what is not known to have arrived
  std::uint64_t leg_bytes = 0;    ///< of the leg's message
  Instant last_small;             ///< when a datagram went out that passes where large ones do not
  OpenMessages<OutgoingMessage> messages = {};
  std::vector<PassJob> held_back = {};  ///< passes that wait until less is in flight
  std::uint32_t probes = 0;             ///< since anything was acknowledged

  /// Why this host itself refuses to send there (errno; 0: it does not), and since when.
  struct RefusedByHost {
    int error = 0;
    Instant since{};
  };
  RefusedByHost refused_by_host = {};

  /// From what Timer::probe was set for the last segment: for the next one of a burst it would be the same.
  struct AnswerAwaited {
    Instant since = never;
    std::uint64_t echoed = 0;
    Instant until{};
    bool operator==(const AnswerAwaited&) const = default;
  };
  AnswerAwaited answer_awaited = {};
};

/// What is known to have arrived at one peer.
struct Echoed {
  Instant at;                 ///< when anything of ours was last found to have arrived
  std::uint64_t packets = 0;  ///< 1 + the newest of our packet numbers that the peer has seen
  std::optional<PathEstimate::Sent> newest = {};  ///< the newest datagram that is known to have arrived
  std::size_t largest = 0;                        ///< the longest one, bytes
  EchoBefore last = {};                           ///< the newest echo
};

}  // namespace lbsp::transport
