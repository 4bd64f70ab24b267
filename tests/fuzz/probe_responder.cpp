// The probe's responder: a client with the key that sends what it likes, and others that have no key.
#include <algorithm>
#include <array>
#include <netinet/in.h>
#include <optional>
#include <vector>

#include "tests/fuzz/fuzzing.hpp"
#include "transport/probe/responder.hpp"

namespace lbsp::transport::probe {
namespace {

using fuzz::require;
using namespace std::chrono_literals;
using transport::WireReader;

constexpr transport::BytesPerSecond most = transport::megabits_per_second(1);

class Client {
 public:
  explicit Client(WireReader& input) : input_(input) {
    address_.length = sizeof(sockaddr_in);
    while (!input_.rest().empty())
      act();
    const auto silence = now_ + 2 * Responder::longest_silence;
    while (responder_.next_timeout() < silence)
      pass(responder_.next_timeout() - now_);
    require(!responder_.busy() && responder_.next_timeout() == transport::never, "a silent client has gone");
  }

 private:
  void act() {
    const auto choice = input_.get<std::uint8_t>();
    switch (choice % 8) {
      case 0:
        return greet();
      case 1:
      case 2:
        return say(Kind::command, ++number_, choice / 8);
      case 3:
        return say(Kind::probe, choice / 8 % 2, 0);
      case 4:
        return say(static_cast<Kind>(8 + choice / 8 % 8), number_, 0);
      case 5:
        address_.storage.ss_family =
            static_cast<sa_family_t>(choice / 8 % 2);  // of another sender, or the same again
        return;
      case 6:
        return hear(rest_of_input(), 1);
      default:
        return pass(transport::Duration{1us} * (std::int64_t{1} << choice / 8 % 24));
    }
  }

  std::vector<std::byte> rest_of_input() {
    const auto bytes = input_.take(std::min<std::size_t>(input_.get<std::uint8_t>(), input_.rest().size()));
    return {bytes.begin(), bytes.end()};
  }

  /// The whole handshake, as an honest client does it.
  void greet() {
    HandshakeNonce nonce{};
    nonce.fill(++greetings_);
    std::vector<std::byte> hello(hello_bytes);
    hello.resize(write_hello(hello, key_, {nonce, false}));
    hear(hello, 1);
    const auto challenge = read_challenge(answer_, key_);
    if (!challenge || challenge->busy) return;
    channel_.emplace(session_key(key_, nonce, challenge->responder), session_id(nonce), key_.tag(),
                     Channel::End::client, challenge->cipher);
    std::vector<std::byte> start(header_bytes + nonce.size() + sizeof(std::uint32_t) + seal_bytes);
    std::ranges::copy(std::as_bytes(std::span(nonce)), start.begin() + header_bytes);
    channel_->seal(Kind::start, start, nonce.size());
    number_ = 0;
    hear(start, 1);
    require(responder_.busy(), "a client with the key is served");
  }

  /// A sealed datagram: a number, an attempt and a type as a command has them, and what the input has.
  void say(Kind kind, std::uint32_t number, unsigned type) {
    auto body = rest_of_input();
    if (!channel_) return;
    std::array<std::byte, 9> head{};
    transport::WireWriter out(head);
    out.put(number);
    out.put(std::uint32_t{7});
    out.put(static_cast<std::uint8_t>(type));
    if (kind == Kind::command) body.insert(body.begin(), head.begin(), head.end());
    std::vector<std::byte> datagram(header_bytes + body.size() + seal_bytes);
    std::ranges::copy(body, datagram.begin() + header_bytes);
    channel_->seal(kind, datagram);
    hear(datagram, 0);
  }

  /// Gives the responder a datagram, and takes what it answers: `shorter` than the datagram before it knows
  /// the client.
  void hear(std::vector<std::byte> datagram, bool handshake) {
    const std::size_t bytes = datagram.size();
    const bool unknown = handshake && !responder_.busy();
    responder_.handle_datagram(datagram, address_, now_);
    answer_.clear();
    poll();
    require(!unknown || responder_.busy() || answer_.size() <= bytes,
            "an answer to a stranger is not longer");
  }

  void pass(transport::Duration time) {
    now_ += std::max(time, transport::Duration::zero());
    responder_.handle_timeout(now_);
    poll();
  }

  void poll() {
    while (const auto outgoing = responder_.poll_transmit(buffer_, now_)) {
      answer_.assign(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(outgoing->bytes));
      require(++sent_ < 200'000, "what a client may ask for has an end");
    }
  }

  WireReader& input_;
  transport::JobKey key_{};
  Responder responder_{{.key = key_, .most = most, .rates = std::array<double, 4>{1, 2, 3, 4}}};
  std::optional<Channel> channel_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(most_packet);
  std::vector<std::byte> answer_;
  transport::SocketAddress address_;
  transport::Instant now_{1h};
  std::uint64_t sent_ = 0;
  std::uint32_t number_ = 0;
  std::uint8_t greetings_ = 0;
};

}  // namespace
}  // namespace lbsp::transport::probe

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lbsp::transport::WireReader input(lbsp::fuzz::bytes_of(data, size));
  const lbsp::transport::probe::Client client(input);
  return 0;
}
