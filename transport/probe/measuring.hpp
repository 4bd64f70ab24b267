#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/probe/channel.hpp"
#include "transport/probe/schedule.hpp"
#include "transport/probe/train.hpp"
#include "transport/units.hpp"

namespace lbsp::transport::probe {

/// What both ends of a session do: they send the datagrams of a step when they are due, and listen to those
/// of the other end. A step is a loss measurement, in which both ends send, or a train of one of them.
class Measuring {
 public:
  void send_loss(std::uint16_t step, std::shared_ptr<const LossSchedule> schedule, transport::Instant start);
  /// The same with datagrams that must not be fragmented.
  void send_sizes(std::uint16_t step, std::shared_ptr<const LossSchedule> schedule, transport::Instant start);
  void hear_loss(std::uint16_t step, std::shared_ptr<const LossSchedule> schedule);
  void send_train(std::uint16_t step, const TrainPlan& plan, transport::Instant start);
  void hear_train(std::uint16_t step, const TrainPlan& plan);
  /// Sends nothing more.
  void stop() { sending_.reset(); }

  /// A probe that was opened; `bytes`: the whole datagram.
  void take(const Probe& probe, std::size_t bytes, transport::Instant now);

  /// Seals the next datagram that is due. Returns nothing if none is.
  std::optional<std::size_t> poll(Channel& channel, std::span<std::byte> buffer, transport::Instant now);
  /// When to poll again.
  transport::Instant next_timeout() const;

  bool sending() const { return sending_.has_value(); }
  /// What is sent must not be fragmented.
  bool whole() const { return whole_; }
  std::uint16_t sent_step() const { return sent_step_; }
  std::uint16_t heard_step() const { return heard_step_; }
  const TrainSent& train_sent() const { return train_sent_; }
  /// Of the step that is heard; each only if it is of that kind.
  std::vector<LossSummary> loss_summary() const;
  std::optional<TrainSeen> train_seen() const;
  /// Round trips since hear_loss(), by size, in seconds; only if this end also sends.
  std::vector<std::vector<double>>& round_trips() { return round_trips_; }

  /// Trains leave in portions of so much time, because a timer for each datagram would be late each time.
  static constexpr transport::Duration quantum = std::chrono::microseconds{500};

 private:
  struct Sending {
    std::shared_ptr<const LossSchedule> schedule;  ///< none: a train
    TrainPlan plan;
    transport::Instant start;
    std::uint32_t next = 0;
    transport::Instant first_sent;
  };
  struct Arrival {
    std::uint32_t index;
    transport::Instant time;
  };

  std::uint32_t count() const;
  transport::Duration due(std::uint32_t index) const;
  std::uint32_t bytes_of(std::uint32_t index) const;
  void take_loss(const Probe& probe, std::size_t bytes, transport::Instant now);
  Probe next_probe(transport::Instant now);

  std::optional<Sending> sending_;
  std::uint16_t sent_step_ = 0;
  bool whole_ = false;
  TrainSent train_sent_;
  std::vector<transport::Instant> departures_;  ///< of the loss step that is sent

  std::uint16_t heard_step_ = 0;
  std::shared_ptr<const LossSchedule> heard_schedule_;
  std::vector<bool> arrived_;
  std::optional<TrainReceiver> train_;
  std::vector<std::vector<Arrival>> to_answer_;  ///< by size, the newest last
  std::vector<std::vector<double>> round_trips_;
};

}  // namespace lbsp::transport::probe
