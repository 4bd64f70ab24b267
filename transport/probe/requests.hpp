#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/probe/channel.hpp"
#include "transport/probe/handshake.hpp"

namespace lbsp::transport::probe {

/// The asking end of a session: it greets the responder, opens the session, and then makes one request at a
/// time. Each is repeated until it is answered, and an answered one once in a while too, as a sign of life.
class Requests {
 public:
  /// Takes what the responder answers. Is called once for a request.
  using Answer = std::function<void(Status, WireReader&, Instant)>;

  /// Calls `on_open` when the session is open. No request is made before that.
  Requests(const JobKey& key, std::function<void(Instant)> on_open, Instant now);

  /// Makes the next request; `write_content` writes what the type needs.
  void send(CommandType type, const std::function<void(WireWriter&)>& write_content, Answer on_answer,
            Instant now);

  /// Takes a datagram, and changes its bytes. Returns the body of an authentic probe, which is for the caller;
  /// silently drops what is not from the responder.
  std::optional<std::span<const std::byte>> take(std::span<std::byte> datagram, Instant now);
  /// Writes the next datagram if one is due; returns its length.
  std::optional<std::size_t> poll(std::span<std::byte> buffer, Instant now);
  Instant next_timeout() const { return std::min(next_send_, give_up_); }

  bool open() const { return phase_ == Phase::open; }
  /// Null until the responder has been heard.
  Channel* channel() { return channel_ ? &*channel_ : nullptr; }
  /// What is wrong if a request has not been answered for `patience`.
  std::optional<std::string> failure(Instant now) const;

  /// How long the last datagrams of a step may still be on their way.
  Duration settling() const;
  /// Between two attempts of a request.
  Duration repeat_interval() const;

  static constexpr Duration patience = std::chrono::seconds{10};

 private:
  enum class Phase { greeting, opening, open };

  void take_challenge(std::span<std::byte> datagram);
  void take_response(std::span<const std::byte> body, Instant now);

  JobKey key_;
  HandshakeNonce nonce_;
  std::uint16_t tag_;
  std::function<void(Instant)> on_open_;
  Phase phase_ = Phase::greeting;
  bool was_busy_ = false;
  std::optional<Channel> channel_;

  // The request that is under way.
  std::vector<std::byte> request_;
  Answer on_answer_;
  std::uint32_t request_number_ = 0;
  Instant next_send_;
  Instant give_up_;
  std::vector<Instant> attempts_;  ///< to send it

  std::optional<Duration> round_trip_;  ///< the shortest of any request and its answer
};

}  // namespace lbsp::transport::probe
