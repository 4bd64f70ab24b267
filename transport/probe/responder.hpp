#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "transport/probe/channel.hpp"
#include "transport/probe/end.hpp"
#include "transport/probe/handshake.hpp"
#include "transport/probe/measuring.hpp"

namespace lbsp::transport::probe {

/// How fast a host computes, in the order of profile::ComputeRates; none: not measured.
using Rates = std::optional<std::array<double, 4>>;

/// The end that waits, and does what the client asks for. It answers only datagrams that a holder of the key
/// made. Until the client has proved that it is there now, by using the responder's own nonce, an answer is
/// shorter than what it answers; measurements start only after that. It serves one client at a time, and
/// tells another that it is busy.
class Responder final : public End {
 public:
  struct Config {
    transport::JobKey key;
    transport::BytesPerSecond most{transport::megabits_per_second(1000)};  ///< it refuses to send faster
    Rates rates{};
    int sessions = 0;  ///< finished after so many; 0: never
  };

  explicit Responder(Config config);

  void handle_datagram(std::span<std::byte> datagram, const transport::SocketAddress& from,
                       transport::Instant now) override;
  void handle_timeout(transport::Instant now) override;
  transport::Instant next_timeout() const override;
  std::optional<Outgoing> poll_transmit(std::span<std::byte> buffer, transport::Instant now) override;
  bool whole() const override { return session_ && session_->measuring.whole(); }
  bool finished() const override;

  /// A client is being served.
  bool busy() const { return session_ && !session_->leaving; }

  /// A client that is silent for so long has gone, and nothing more is sent to it.
  static constexpr transport::Duration longest_silence = std::chrono::seconds{5};

 private:
  struct Session {
    Channel channel;
    transport::SocketAddress client;
    HandshakeNonce nonce;
    transport::Instant last_heard;
    Measuring measuring;
    std::uint32_t last_command = 0;
    std::vector<std::byte> answer;  ///< to the last command
    bool must_answer = true;
    bool leaving = false;
  };

  void take_hello(std::span<std::byte> datagram, const transport::SocketAddress& from);
  void take_start(const Header& header, std::span<std::byte> datagram, const transport::SocketAddress& from,
                  transport::Instant now);
  void take_command(std::span<const std::byte> body, transport::Instant now);
  Status execute(CommandType type, transport::WireReader& in, transport::WireWriter& out,
                 transport::Instant now);
  Status start_loss(transport::WireReader& in, transport::Instant now);
  Status start_sizes(transport::WireReader& in, transport::Instant now);
  Status start_train(transport::WireReader& in, transport::Instant now);
  Status collect(transport::WireReader& in, transport::WireWriter& out);
  void answer(std::uint32_t command, Status status, std::span<const std::byte> content);
  void answer_again(std::span<const std::byte> attempt);

  Config config_;
  std::uint16_t tag_;
  NonceMaker nonces_;
  struct Greeting {
    Challenge challenge;
    transport::SocketAddress to;
  };
  std::optional<Greeting> greeting_;
  std::optional<Session> session_;
  int served_ = 0;
};

}  // namespace lbsp::transport::probe
