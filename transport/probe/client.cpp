#include "transport/probe/client.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "transport/quantity.hpp"

namespace lbsp::transport::probe {

using std::chrono::milliseconds;
using transport::BytesPerSecond;
using transport::Cipher;
using transport::Duration;
using transport::Instant;
using transport::SocketAddress;
using transport::WireReader;
using transport::WireWriter;

namespace {

// A person waits for this; a program that wants more says how many datagrams.
constexpr Duration longest_size = std::chrono::seconds{4};
constexpr std::uint32_t fewest_for_loss = 60;
constexpr int loss_rounds = 2;
// What measuring loss takes of a path, at most.
constexpr double loss_share = 0.2;
constexpr BytesPerSecond most_for_loss = transport::megabits_per_second(42);
/// So often an answered request is repeated while a step takes its time: what the step sends may be lost
/// altogether, and the responder leaves a client that is silent.
constexpr Duration sign_of_life = std::chrono::seconds{1};

}  // namespace

Client::Client(const transport::JobKey& key, const SocketAddress& responder, MeasurementPlan plan,
               Instant now)
    : key_(key),
      responder_(responder),
      plan_(std::move(plan)),
      nonce_(random_nonce()),
      tag_(key.tag()),
      end_(now + plan_.time_limit),
      next_send_(now),
      give_up_(now + patience) {
  if (plan_.bandwidth) searches_ = {{0, false, true}, {0, true, true}};
}

/// A host of several addresses may answer from another than it was asked at. Whose answer it is the key says.
void Client::handle_datagram(std::span<std::byte> datagram, const SocketAddress& /*from*/, Instant now) {
  const auto header = read_header(datagram);
  if (finished_ || !header || header->tag != tag_) return;
  if (header->kind == Kind::challenge && phase_ == Phase::greeting) return take_challenge(datagram);
  if (!channel_ || (header->kind != Kind::response && header->kind != Kind::probe)) return;
  const std::size_t bytes = datagram.size();
  const auto body = channel_->open(*header, datagram);
  if (!body) return;
  if (header->kind == Kind::response) return take_response(*body, now);
  WireReader in(*body);
  if (const auto probe = read_probe(in)) measuring_.take(*probe, bytes, now);
}

void Client::take_challenge(std::span<std::byte> datagram) {
  const auto challenge = read_challenge(datagram, key_);
  if (!challenge || challenge->client != nonce_) return;
  was_busy_ = challenge->busy;
  if (was_busy_ || !transport::cipher_available(challenge->cipher)) return;
  channel_.emplace(session_key(key_, nonce_, challenge->responder), session_id(nonce_), tag_,
                   Channel::End::client, challenge->cipher);
  phase_ = Phase::starting;
  next_send_ = Instant::min();
  attempts_.clear();
  on_answer_ = [this](Status, WireReader&, Instant now) {
    phase_ = Phase::measuring;
    plan_.bandwidth ? next_search(now) : start_sizes(now);
  };
}

void Client::take_response(std::span<const std::byte> body, Instant now) {
  WireReader in(body);
  const auto number = in.get<std::uint32_t>();
  const auto attempt = in.get<std::uint32_t>();
  const auto status = static_cast<Status>(in.get<std::uint8_t>());
  if (!in.ok() || number != request_number_ || !on_answer_ || attempt >= attempts_.size()) return;
  round_trip_ = round_trip_ ? std::min(*round_trip_, now - attempts_[attempt]) : now - attempts_[attempt];
  next_send_ = now + sign_of_life;
  give_up_ = transport::never;
  const auto call = std::move(on_answer_);
  on_answer_ = nullptr;
  call(status, in, now);
}

void Client::command(CommandType type, const std::function<void(WireWriter&)>& write_content,
                     Answer on_answer, Instant now) {
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

void Client::command_step(CommandType type, Answer on_answer, Instant now) {
  command(
      type, [this](WireWriter& out) { out.put(step_); }, std::move(on_answer), now);
}

void Client::at(Instant time, std::function<void(Instant)> call) {
  wake_ = time;
  on_wake_ = std::move(call);
}

void Client::fail(const std::string& why) {
  if (!finished_) failure_ = why;
  finished_ = true;
  measuring_.stop();
}

Duration Client::settling() const {
  return std::max<Duration>(milliseconds{30}, round_trip_.value_or(Duration{0}) / 2);
}

Duration Client::repeat_interval() const {
  if (!round_trip_) return milliseconds{200};
  return std::clamp<Duration>(*round_trip_ * 2 / 3, milliseconds{20}, milliseconds{500});
}

std::uint32_t Client::first_look_bytes() const {
  return std::min<std::uint32_t>(most_message, plan_.sizes.back());
}

BytesPerSecond Client::usual_rate() const {
  if (!plan_.bandwidth) return plan_.most;
  return {std::min(first_look_[0], first_look_[1])};
}

void Client::start_loss(Instant now) {
  const double rate =
      std::min({plan_.most.value * loss_share, most_for_loss.value, loss_share * usual_rate().value});
  std::vector<SizePlan> sizes;
  Duration length{0};
  for (const std::uint32_t bytes : plan_.sizes) {
    SizePlan size = plan_size(bytes, plan_.count, {rate});
    while (!plan_.count_is_fixed && length_of(size) > longest_size && size.count > fewest_for_loss)
      size.count = std::max(fewest_for_loss, size.count * 3 / 4);
    length += length_of(size);
    sizes.push_back(size);
  }
  if (now + length > end_) {
    return fail(
        fmt::format("would be measured for {} more: raise --time-limit, lower --count or leave out sizes",
                    transport::format_duration(length, 3)));
  }
  const auto schedule = std::make_shared<const LossSchedule>(sizes, loss_rounds);
  ++step_;
  measuring_.hear_loss(step_, schedule);
  command(
      CommandType::loss,
      [&](WireWriter& out) {
        out.put(step_);
        out.put(static_cast<std::uint8_t>(loss_rounds));
        out.put(static_cast<std::uint8_t>(sizes.size()));
        for (const SizePlan& size : sizes)
          write(out, size);
      },
      [this, schedule](Status status, WireReader&, Instant time) {
        if (status != Status::ok)
          return fail("refuses so much traffic: give it a higher --max-rate, or here a lower one");
        measuring_.send_loss(step_, schedule, time);
        at(time + schedule->length() + settling(), [this](Instant later) { collect_loss(later); });
      },
      now);
}

void Client::collect_loss(Instant now) {
  if (measuring_.sending()) return at(now + settling(), [this](Instant later) { collect_loss(later); });
  const auto on_answer = [this](Status status, WireReader& in, Instant time) {
    if (status == Status::not_yet)
      return at(time + settling(), [this](Instant later) { collect_loss(later); });
    const auto down = measuring_.loss_summary();
    for (std::size_t i = 0; i < result_.sizes.size(); ++i) {
      SizeResult& size = result_.sizes[i];
      size.up.loss = read_loss_summary(in);
      size.down.loss = down[i];
      size.round_trips = measuring_.round_trips()[i];
    }
    if (status != Status::ok || !in.ok())
      return fail("answers otherwise than expected: use the same lbsp there");
    loss_measured_ = true;
    if (!plan_.bandwidth) return ask_for_rates(time);
    for (std::size_t i = 0; i < result_.sizes.size(); ++i) {
      for (const bool is_down : {false, true}) {
        const Search search{i, is_down, false};
        const LossSummary& loss = direction(search).loss;
        if (loss.lost < loss.sent) searches_.push_back(search);
      }
    }
    next_search(time);
  };
  command_step(CommandType::collect, on_answer, now);
}

void Client::ask_for_rates(Instant now) {
  const auto on_answer = [this](Status status, WireReader& in, Instant time) {
    if (status == Status::ok) {
      std::array<double, 4> rates{};
      for (double& rate : rates)
        rate = read_double(in);
      if (in.ok()) result_.responder_rates = rates;
    }
    say_bye(time);
  };
  command(
      CommandType::compute, [](WireWriter&) {}, on_answer, now);
}

void Client::say_bye(Instant now) {
  command(
      CommandType::bye, [](WireWriter&) {}, [this](Status, WireReader&, Instant) { finished_ = true; }, now);
  // Not to be heard does no harm: the responder finds out by itself.
  at(now + 5 * repeat_interval(), [this](Instant) { finished_ = true; });
}

void Client::handle_timeout(Instant now) {
  if (finished_) return;
  if (now >= end_) {
    return fail(
        fmt::format("was not measured within {}: raise --time-limit, lower --count or leave out sizes",
                    transport::format_duration(plan_.time_limit)));
  }
  if (now >= give_up_) {
    if (was_busy_ && phase_ == Phase::greeting) return fail("is busy with another client: try again later");
    if (phase_ == Phase::measuring) return fail("stopped answering in the middle: try again");
    return fail(
        "does not answer: see that its UDP port is open to this host, and that lbsp probe --listen, if it is to "
        "run there, does so with the same key");
  }
  if (now < wake_) return;
  wake_ = transport::never;
  const auto call = std::move(on_wake_);
  on_wake_ = nullptr;
  call(now);
}

Instant Client::next_timeout() const {
  if (finished_) return transport::never;
  return std::min({next_send_, give_up_, wake_, end_, measuring_.next_timeout()});
}

std::optional<End::Outgoing> Client::poll_transmit(std::span<std::byte> buffer, Instant now) {
  if (finished_) return std::nullopt;
  if (now < next_send_) {
    if (!channel_) return std::nullopt;
    const auto bytes = measuring_.poll(*channel_, buffer, now);
    if (!bytes) return std::nullopt;
    return Outgoing{*bytes, responder_};
  }
  const auto attempt = static_cast<std::uint32_t>(attempts_.size());
  attempts_.push_back(now);
  const bool awaited = on_answer_ || phase_ == Phase::greeting;
  next_send_ = now + (awaited ? repeat_interval() : sign_of_life);
  if (phase_ == Phase::greeting) {
    const bool aes = transport::cipher_available(Cipher::aes256_gcm);
    return Outgoing{write_hello(buffer, key_, {nonce_, aes}), responder_};
  }
  const bool starting = phase_ == Phase::starting;
  const std::size_t clear = starting ? nonce_.size() : 0;
  const std::size_t content = starting ? sizeof(std::uint32_t) : request_.size();
  const auto datagram = buffer.first(header_bytes + clear + content + seal_bytes);
  WireWriter out(datagram.subspan(header_bytes));
  if (starting) {
    out.put(std::span<const std::byte>(std::as_bytes(std::span(nonce_))));
    out.put(attempt);
  } else {
    WireWriter(std::span(request_).subspan(sizeof request_number_)).put(attempt);
    out.put(std::span<const std::byte>(request_));
  }
  channel_->seal(starting ? Kind::start : Kind::command, datagram, clear);
  return Outgoing{datagram.size(), responder_};
}

double Client::progress() const {
  if (finished_) return 1;
  if (phase_ != Phase::measuring) return 0;
  if (!loss_measured_) return 0.05 * static_cast<double>(searched_);
  return 0.5 + 0.5 * static_cast<double>(searched_) / static_cast<double>(searches_.size());
}

}  // namespace lbsp::transport::probe
