#include "transport/probe/measuring.hpp"

#include <algorithm>

namespace lbsp::transport::probe {

using transport::Duration;
using transport::Instant;
using transport::WireWriter;

void Measuring::send_loss(std::uint16_t step, std::shared_ptr<const LossSchedule> schedule, Instant start) {
  departures_.assign(schedule->departures().size(), Instant::min());
  sending_ = Sending{std::move(schedule), {}, start, 0, start};
  sent_step_ = step;
  whole_ = false;
}

void Measuring::send_sizes(std::uint16_t step, std::shared_ptr<const LossSchedule> schedule, Instant start) {
  send_loss(step, std::move(schedule), start);
  whole_ = true;
}

void Measuring::hear_loss(std::uint16_t step, std::shared_ptr<const LossSchedule> schedule) {
  heard_step_ = step;
  train_.reset();
  heard_schedule_ = std::move(schedule);
  arrived_.assign(heard_schedule_->departures().size(), false);
  to_answer_.assign(heard_schedule_->sizes().size(), {});
  round_trips_.assign(heard_schedule_->sizes().size(), {});
}

void Measuring::send_train(std::uint16_t step, const TrainPlan& plan, Instant start) {
  sending_ = Sending{nullptr, plan, start, 0, start};
  sent_step_ = step;
  whole_ = false;
  train_sent_ = {};
}

void Measuring::hear_train(std::uint16_t step, const TrainPlan& plan) {
  heard_step_ = step;
  heard_schedule_.reset();
  train_.emplace(plan);
}

void Measuring::take(const Probe& probe, std::size_t bytes, Instant now) {
  if (probe.step != heard_step_) return;
  if (!probe.train) {
    if (heard_schedule_) take_loss(probe, bytes, now);
  } else if (train_ && bytes == train_->plan().bytes) {
    train_->take(probe.index, probe.sent, now);
  }
}

void Measuring::take_loss(const Probe& probe, std::size_t bytes, Instant now) {
  if (probe.index >= arrived_.size() || heard_schedule_->bytes_of(probe.index) != bytes) return;
  if (arrived_[probe.index]) return;
  arrived_[probe.index] = true;
  const std::size_t size = heard_schedule_->departures()[probe.index].size;
  to_answer_[size].push_back({probe.index, now});
  if (probe.echo == 0 || probe.echo > departures_.size()) return;
  const Instant departure = departures_[probe.echo - 1];
  if (departure == Instant::min() || departure > now) return;
  const Duration round_trip = now - departure - probe.hold;
  if (round_trip.count() > 0) round_trips_[size].push_back(static_cast<double>(round_trip.count()) / 1e9);
}

std::uint32_t Measuring::count() const {
  return sending_->schedule ? static_cast<std::uint32_t>(sending_->schedule->departures().size())
                            : sending_->plan.count;
}

Duration Measuring::due(std::uint32_t index) const {
  if (sending_->schedule) return sending_->schedule->departures()[index].time;
  return Duration{static_cast<Duration::rep>(index) * sending_->plan.gap_nanoseconds};
}

std::uint32_t Measuring::bytes_of(std::uint32_t index) const {
  return sending_->schedule ? sending_->schedule->bytes_of(index) : sending_->plan.bytes;
}

Instant Measuring::next_timeout() const {
  if (!sending_) return transport::never;
  const Duration next = due(sending_->next);
  if (sending_->schedule) return sending_->start + next;
  return sending_->start + (next + quantum - Duration{1}) / quantum * quantum;
}

Probe Measuring::next_probe(Instant now) {
  Probe probe{sending_->schedule == nullptr, sent_step_, sending_->next,
              now.time_since_epoch(),        0,          Duration{0}};
  if (!sending_->schedule) return probe;
  departures_[sending_->next] = now;
  const std::size_t size = sending_->schedule->departures()[sending_->next].size;
  if (!heard_schedule_ || size >= to_answer_.size() || to_answer_[size].empty()) return probe;
  const Arrival answered = to_answer_[size].back();
  to_answer_[size].pop_back();
  probe.echo = answered.index + 1;
  probe.hold = now - answered.time;
  return probe;
}

std::optional<std::size_t> Measuring::poll(Channel& channel, std::span<std::byte> buffer, Instant now) {
  if (!sending_ || sending_->start + due(sending_->next) > now) return std::nullopt;
  const auto datagram = buffer.first(bytes_of(sending_->next));
  const auto body = Channel::body(datagram);
  std::ranges::fill(body, std::byte{0});
  WireWriter out(body);
  write(out, next_probe(now));
  channel.seal(Kind::probe, datagram);
  if (!sending_->schedule) {
    if (sending_->next == 0) sending_->first_sent = now;
    train_sent_ = {sending_->next + 1, now - sending_->first_sent};
  }
  if (++sending_->next == count()) sending_.reset();
  return datagram.size();
}

std::vector<LossSummary> Measuring::loss_summary() const {
  return heard_schedule_ ? summarise(*heard_schedule_, arrived_) : std::vector<LossSummary>{};
}

std::optional<TrainSeen> Measuring::train_seen() const {
  if (!train_) return std::nullopt;
  return train_->seen();
}

}  // namespace lbsp::transport::probe
