#include "transport/probe/client.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "transport/quantity.hpp"

namespace lbsp::transport::probe {
namespace {

/// A first look at the bandwidth takes datagrams that every path carries.
std::uint32_t first_look_bytes(const MeasurementPlan& plan) {
  return std::min<std::uint32_t>(most_message, plan.sizes.back());
}

}  // namespace

Client::Client(const JobKey& key, const SocketAddress& responder, MeasurementPlan plan, Instant now)
    : responder_(responder),
      plan_(std::move(plan)),
      end_(now + plan_.time_limit),
      requests_(
          key, [this](Instant open) { plan_.bandwidth ? next_train(open) : start_sizes(open); }, now),
      bandwidths_(first_look_bytes(plan_), plan_.most) {}

/// A host of several addresses may answer from another than it was asked at. Whose answer it is the key says.
void Client::handle_datagram(std::span<std::byte> datagram, const SocketAddress& /*from*/, Instant now) {
  if (finished_) return;
  const auto body = requests_.take(datagram, now);
  if (!body) return;
  WireReader in(*body);
  if (const auto probe = read_probe(in)) measuring_.take(*probe, datagram.size(), now);
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

/// Asks what the responder saw, or sent, in the step.
void Client::collect(Requests::Answer on_answer, Instant now) {
  requests_.send(
      CommandType::collect, [this](WireWriter& out) { out.put(step_); }, std::move(on_answer), now);
}

void Client::handle_timeout(Instant now) {
  if (finished_) return;
  if (now >= end_) {
    out_of_time_ = true;
    return fail(
        fmt::format("was not measured within {}: raise --time-limit, lower --count or leave out sizes",
                    format_duration(plan_.time_limit)));
  }
  if (const auto why = requests_.failure(now)) return fail(*why);
  if (now < wake_) return;
  wake_ = never;
  const auto call = std::move(on_wake_);
  on_wake_ = nullptr;
  call(now);
}

Instant Client::next_timeout() const {
  if (finished_) return never;
  return std::min({requests_.next_timeout(), wake_, end_, measuring_.next_timeout()});
}

std::optional<End::Outgoing> Client::poll_transmit(std::span<std::byte> buffer, Instant now) {
  if (finished_) return std::nullopt;
  auto bytes = requests_.poll(buffer, now);
  if (Channel* const channel = requests_.channel(); channel != nullptr && !bytes)
    bytes = measuring_.poll(*channel, buffer, now);
  if (!bytes) return std::nullopt;
  return Outgoing{*bytes, responder_};
}

double Client::progress() const {
  if (finished_) return 1;
  if (!requests_.open()) return 0;
  const auto found = static_cast<double>(bandwidths_.found());
  if (!loss_measured_) return 0.05 * found;
  return 0.5 + 0.5 * found / static_cast<double>(bandwidths_.wanted());
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
  requests_.send(
      CommandType::compute, [](WireWriter&) {}, on_answer, now);
}

void Client::say_bye(Instant now) {
  requests_.send(
      CommandType::bye, [](WireWriter&) {}, [this](Status, WireReader&, Instant) { finished_ = true; }, now);
  // Not to be heard does no harm: the responder finds out by itself.
  at(now + 5 * requests_.repeat_interval(), [this](Instant) { finished_ = true; });
}

}  // namespace lbsp::transport::probe
