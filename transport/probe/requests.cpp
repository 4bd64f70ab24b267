#include "transport/probe/requests.hpp"

#include <algorithm>
#include <array>

namespace lbsp::transport::probe {
namespace {

using std::chrono::milliseconds;

/// So often an answered request is repeated while a step takes its time: what the step sends may be lost
/// altogether, and the responder leaves a client that is silent.
constexpr Duration sign_of_life = std::chrono::seconds{1};

}  // namespace

Requests::Requests(const JobKey& key, std::function<void(Instant)> on_open, Instant now)
    : key_(key),
      nonce_(random_nonce()),
      tag_(key.tag()),
      on_open_(std::move(on_open)),
      next_send_(now),
      give_up_(now + patience) {}

void Requests::send(CommandType type, const std::function<void(WireWriter&)>& write_content, Answer on_answer,
                    Instant now) {
  std::array<std::byte, most_message> buffer{};
  WireWriter out(buffer);
  out.put(++request_number_);
  out.put(std::uint32_t{0});  // the attempt
  out.put(static_cast<std::uint8_t>(type));
  write_content(out);
  request_.assign(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(out.written()));
  on_answer_ = std::move(on_answer);
  next_send_ = now;
  give_up_ = now + patience;
  attempts_.clear();
}

std::optional<std::span<const std::byte>> Requests::take(std::span<std::byte> datagram, Instant now) {
  const auto header = read_header(datagram);
  if (!header || header->tag != tag_) return std::nullopt;
  if (header->kind == Kind::challenge && phase_ == Phase::greeting) {
    take_challenge(datagram);
    return std::nullopt;
  }
  if (!channel_ || (header->kind != Kind::response && header->kind != Kind::probe)) return std::nullopt;
  const auto body = channel_->open(*header, datagram);
  if (body && header->kind == Kind::probe) return *body;
  if (body) take_response(*body, now);
  return std::nullopt;
}

void Requests::take_challenge(std::span<std::byte> datagram) {
  const auto challenge = read_challenge(datagram, key_);
  if (!challenge || challenge->client != nonce_) return;
  was_busy_ = challenge->busy;
  if (was_busy_ || !cipher_available(challenge->cipher)) return;
  channel_.emplace(session_key(key_, nonce_, challenge->responder), session_id(nonce_), tag_,
                   Channel::End::client, challenge->cipher);
  phase_ = Phase::opening;
  next_send_ = Instant::min();
  attempts_.clear();
  on_answer_ = [this](Status, WireReader&, Instant now) {
    phase_ = Phase::open;
    on_open_(now);
  };
}

void Requests::take_response(std::span<const std::byte> body, Instant now) {
  WireReader in(body);
  const auto number = in.get<std::uint32_t>();
  const auto attempt = in.get<std::uint32_t>();
  const auto status = static_cast<Status>(in.get<std::uint8_t>());
  if (!in.ok() || number != request_number_ || !on_answer_ || attempt >= attempts_.size()) return;
  round_trip_ = std::min(round_trip_.value_or(Duration::max()), now - attempts_[attempt]);
  next_send_ = now + sign_of_life;
  give_up_ = never;
  const auto call = std::move(on_answer_);
  on_answer_ = nullptr;
  call(status, in, now);
}

std::optional<std::size_t> Requests::poll(std::span<std::byte> buffer, Instant now) {
  if (now < next_send_) return std::nullopt;
  const auto attempt = static_cast<std::uint32_t>(attempts_.size());
  attempts_.push_back(now);
  const bool awaited = on_answer_ || phase_ == Phase::greeting;
  next_send_ = now + (awaited ? repeat_interval() : sign_of_life);
  if (phase_ == Phase::greeting)
    return write_hello(buffer, key_, {nonce_, cipher_available(Cipher::aes256_gcm)});
  const bool opening = phase_ == Phase::opening;
  const std::size_t clear = opening ? nonce_.size() : 0;
  const std::size_t content = opening ? sizeof attempt : request_.size();
  const auto datagram = buffer.first(header_bytes + clear + content + seal_bytes);
  WireWriter out(datagram.subspan(header_bytes));
  if (opening) {
    out.put(std::span<const std::byte>(std::as_bytes(std::span(nonce_))));
    out.put(attempt);
  } else {
    WireWriter(std::span(request_).subspan(sizeof request_number_)).put(attempt);
    out.put(std::span<const std::byte>(request_));
  }
  channel_->seal(opening ? Kind::start : Kind::command, datagram, clear);
  return datagram.size();
}

std::optional<std::string> Requests::failure(Instant now) const {
  if (now < give_up_) return std::nullopt;
  if (was_busy_ && phase_ == Phase::greeting) return "is busy with another client: try again later";
  if (open()) return "stopped answering in the middle: try again";
  return "does not answer: see that its UDP port is open to this host, and that lbsp probe --listen, if it is to "
         "run there, does so with the same key";
}

Duration Requests::settling() const {
  return std::max<Duration>(milliseconds{30}, round_trip_.value_or(Duration{0}) / 2);
}

Duration Requests::repeat_interval() const {
  if (!round_trip_) return milliseconds{200};
  return std::clamp<Duration>(*round_trip_ * 2 / 3, milliseconds{20}, milliseconds{500});
}

}  // namespace lbsp::transport::probe
