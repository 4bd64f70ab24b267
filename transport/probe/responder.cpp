#include "transport/probe/responder.hpp"

#include <algorithm>
#include <cstring>

namespace lbsp::transport::probe {

using transport::Cipher;
using transport::Instant;
using transport::SocketAddress;
using transport::WireReader;
using transport::WireWriter;

namespace {

/// In an answer, behind the command's number: which of its attempts is answered, so that the client can tell
/// how long that took.
constexpr std::size_t attempt_place = sizeof(std::uint32_t);

}  // namespace

bool same_address(const SocketAddress& left, const SocketAddress& right) {
  return left.length == right.length && std::memcmp(&left.storage, &right.storage, left.length) == 0;
}

Responder::Responder(Config config) : config_(std::move(config)), tag_(config_.key.tag()) {}

void Responder::handle_datagram(std::span<std::byte> datagram, const SocketAddress& from, Instant now) {
  const auto header = read_header(datagram);
  if (!header || header->tag != tag_) return;
  if (header->kind == Kind::hello) return take_hello(datagram, from);
  if (header->kind == Kind::start) return take_start(*header, datagram, from, now);
  if (!session_ || !same_address(session_->client, from)) return;
  if (header->kind != Kind::command && header->kind != Kind::probe) return;
  const std::size_t bytes = datagram.size();
  const auto body = session_->channel.open(*header, datagram);
  if (!body) return;
  session_->last_heard = now;
  if (header->kind == Kind::command) return take_command(*body, now);
  WireReader in(*body);
  if (const auto probe = read_probe(in)) session_->measuring.take(*probe, bytes, now);
}

void Responder::take_hello(std::span<std::byte> datagram, const SocketAddress& from) {
  const auto hello = read_hello(datagram, config_.key);
  if (!hello) return;
  const bool aes = hello->has_aes && transport::cipher_available(Cipher::aes256_gcm);
  greeting_ = Greeting{{hello->client, nonces_.nonce_for(hello->client, from), busy(),
                        aes ? Cipher::aes256_gcm : Cipher::chacha20_poly1305},
                       from};
}

void Responder::take_start(const Header& header, std::span<std::byte> datagram, const SocketAddress& from,
                           Instant now) {
  HandshakeNonce client{};
  if (datagram.size() < header_bytes + client.size() + seal_bytes + sizeof(std::uint32_t)) return;
  std::memcpy(client.data(), datagram.data() + header_bytes, client.size());
  if (session_ && client == session_->nonce && same_address(session_->client, from)) {
    // Its answer may have been lost.
    const auto body = session_->channel.open(header, datagram, client.size());
    if (!body) return;
    session_->last_heard = now;
    if (session_->last_command == 0) answer_again(*body);
    return;
  }
  if (busy()) return;
  const auto key = session_key(config_.key, client, nonces_.nonce_for(client, from));
  // The client took the better cipher if both ends have it; which one that was, its seal tells.
  for (const Cipher cipher : {Cipher::aes256_gcm, Cipher::chacha20_poly1305}) {
    if (!transport::cipher_available(cipher)) continue;
    std::vector<std::byte> copy(datagram.begin(), datagram.end());
    Channel channel(key, session_id(client), tag_, Channel::End::responder, cipher);
    const auto body = channel.open(header, copy, client.size());
    if (!body) continue;
    if (session_) ++served_;
    session_.emplace(Session{std::move(channel), from, client, now, {}, 0, {}, true, false});
    nonces_.expire_all();
    answer(0, Status::ok, {});
    return answer_again(*body);
  }
}

void Responder::take_command(std::span<const std::byte> body, Instant now) {
  WireReader in(body);
  const auto number = in.get<std::uint32_t>();
  const auto attempt = in.rest().first(std::min(in.rest().size(), sizeof(std::uint32_t)));
  in.take(sizeof(std::uint32_t));
  const auto type = static_cast<CommandType>(in.get<std::uint8_t>());
  if (!in.ok() || number < session_->last_command) return;
  if (number == session_->last_command) return answer_again(attempt);
  session_->last_command = number;
  std::array<std::byte, most_message> buffer{};
  WireWriter out(buffer);
  const Status status = execute(type, in, out, now);
  answer(number, status, std::span(buffer).first(out.written()));
  answer_again(attempt);
}

Status Responder::execute(CommandType type, WireReader& in, WireWriter& out, Instant now) {
  switch (type) {
    case CommandType::loss:
      return start_loss(in, now);
    case CommandType::train:
      return start_train(in, now);
    case CommandType::collect:
      return collect(in, out);
    case CommandType::compute:
      if (!config_.rates) return Status::refused;
      for (const double rate : *config_.rates)
        write(out, rate);
      return Status::ok;
    case CommandType::sizes:
      return start_sizes(in, now);
    case CommandType::bye:
      session_->leaving = true;
      return Status::ok;
  }
  return Status::refused;
}

Status Responder::start_loss(WireReader& in, Instant now) {
  const auto step = in.get<std::uint16_t>();
  const auto rounds = in.get<std::uint8_t>();
  const auto count = in.get<std::uint8_t>();
  if (!in.ok() || count > most_sizes) return Status::refused;
  std::vector<SizePlan> sizes;
  for (int i = 0; i < count; ++i)
    sizes.push_back(read_size_plan(in));
  if (!in.ok() || !acceptable(sizes, rounds, config_.most)) return Status::refused;
  const auto schedule = std::make_shared<const LossSchedule>(std::move(sizes), rounds);
  session_->measuring.hear_loss(step, schedule);
  session_->measuring.send_loss(step, schedule, now);
  return Status::ok;
}

Status Responder::start_sizes(WireReader& in, Instant now) {
  const auto step = in.get<std::uint16_t>();
  const auto count = in.get<std::uint8_t>();
  if (!in.ok() || count > most_sizes) return Status::refused;
  std::vector<SizePlan> sizes;
  for (int i = 0; i < count; ++i)
    sizes.push_back(read_size_plan(in));
  if (!in.ok() || !acceptable_turns(sizes, config_.most)) return Status::refused;
  const auto schedule = std::make_shared<const LossSchedule>(LossSchedule::taking_turns(std::move(sizes)));
  session_->measuring.hear_loss(step, schedule);
  session_->measuring.send_sizes(step, schedule, now);
  return Status::ok;
}

Status Responder::start_train(WireReader& in, Instant now) {
  const auto step = in.get<std::uint16_t>();
  const bool down = in.get<std::uint8_t>() == 1;
  const TrainPlan plan = read_train_plan(in);
  if (!in.ok() || !acceptable(plan, config_.most)) return Status::refused;
  if (down) {
    session_->measuring.send_train(step, plan, now);
  } else {
    session_->measuring.hear_train(step, plan);
  }
  return Status::ok;
}

Status Responder::collect(WireReader& in, WireWriter& out) {
  const auto step = in.get<std::uint16_t>();
  const Measuring& measuring = session_->measuring;
  if (!in.ok()) return Status::refused;
  if (measuring.sending() && measuring.sent_step() == step) return Status::not_yet;
  if (measuring.heard_step() == step) {
    if (const auto seen = measuring.train_seen()) {
      write(out, *seen);
    } else {
      for (const LossSummary& summary : measuring.loss_summary())
        write(out, summary);
    }
    return Status::ok;
  }
  if (measuring.sent_step() != step) return Status::refused;
  write(out, measuring.train_sent());
  return Status::ok;
}

void Responder::answer(std::uint32_t command, Status status, std::span<const std::byte> content) {
  auto& answer = session_->answer;
  answer.resize(attempt_place + sizeof(std::uint32_t) + 1 + content.size());
  WireWriter out(answer);
  out.put(command);
  out.put(std::uint32_t{0});
  out.put(static_cast<std::uint8_t>(status));
  out.put(content);
}

void Responder::answer_again(std::span<const std::byte> attempt) {
  WireReader in(attempt);
  WireWriter(std::span(session_->answer).subspan(attempt_place)).put(in.get<std::uint32_t>());
  session_->must_answer = true;
}

void Responder::handle_timeout(Instant now) {
  if (!session_) return;
  const auto patience = session_->leaving ? longest_silence / 5 : longest_silence;
  if (now - session_->last_heard < patience) return;
  session_.reset();
  ++served_;
}

Instant Responder::next_timeout() const {
  if (!session_) return transport::never;
  const auto patience = session_->leaving ? longest_silence / 5 : longest_silence;
  return std::min(session_->last_heard + patience, session_->measuring.next_timeout());
}

std::optional<End::Outgoing> Responder::poll_transmit(std::span<std::byte> buffer, Instant now) {
  if (greeting_) {
    const Greeting greeting = *greeting_;
    greeting_.reset();
    return Outgoing{write_challenge(buffer, config_.key, greeting.challenge), greeting.to};
  }
  if (!session_) return std::nullopt;
  if (session_->must_answer) {
    session_->must_answer = false;
    const auto datagram = buffer.first(header_bytes + session_->answer.size() + seal_bytes);
    WireWriter(Channel::body(datagram)).put(std::span<const std::byte>(session_->answer));
    session_->channel.seal(Kind::response, datagram);
    return Outgoing{datagram.size(), session_->client};
  }
  const auto bytes = session_->measuring.poll(session_->channel, buffer, now);
  if (!bytes) return std::nullopt;
  return Outgoing{*bytes, session_->client};
}

bool Responder::finished() const {
  return config_.sessions > 0 && served_ >= config_.sessions;
}

}  // namespace lbsp::transport::probe
