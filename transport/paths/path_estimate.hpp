#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "transport/fifo.hpp"
#include "transport/paths/recent_least.hpp"
#include "transport/units.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// What is known of the path to one peer: round-trip time, after RFC 9002, section 5, and the timeouts that
/// follow from it. A sample is taken from the newest packet number that the peer echoes, less the time the
/// peer held it; packet numbers are never used twice, so no sample is ambiguous.
class PathEstimate {
 public:
  /// Before the first sample: a transcontinental path. RFC 9002 takes 333 ms, for the whole Internet.
  static constexpr Duration initial_round_trip = std::chrono::milliseconds{100};

  /// Uses what another measurement says until the first sample.
  void assume(Duration round_trip, Duration variation);

  struct Sent {
    std::uint64_t packet_number;
    Instant at;
    std::uint32_t train;  ///< see rate_control.hpp
    std::size_t bytes;
    std::uint64_t bytes_so_far = 0;  ///< to this peer, with it …
    std::uint64_t bytes_to_all = 0;  ///< … and to all on other hosts
  };

  void sent(std::uint64_t packet_number, Instant now, std::uint32_t train = 0, std::size_t bytes = 0,
            std::uint64_t bytes_to_all = 0);
  /// Forgets what was sent before this, as this process did not run for a while then: samples would include that time.
  void forget_sent(Instant before) {
    while (!log_.empty() && log_.front().at < before)
      log_.pop_front();
  }
  /// The peer was heard. The first time: if both began to send at the same time, it took as long as half a round trip.
  void heard(Instant now) {
    if (!guessed_) guess(now);
  }
  /// Takes a sample from the echo, if it gives one and came `in_turn`, and returns the datagram that it is of. Calls
  /// passed(sent) for each one before, in order, of which no echo has told yet.
  template <class Passed>
  std::optional<Sent> echoed(const Echo& echo, bool in_turn, Instant now, Passed passed) {
    if (echo.packets <= echoed_) return std::nullopt;
    echoed_ = echo.packets;
    for (; !log_.empty() && log_.front().packet_number + 1 < echoed_; log_.pop_front())
      passed(log_.front());
    return newest_echoed(echo, in_turn, now);
  }
  std::optional<Sent> echoed(const Echo& echo, Instant now) {
    return echoed(echo, true, now, [](const Sent&) {});
  }

  /// Of what was sent since the newest datagram that an echo has told of, until there are so many `packets`: those of
  /// less than so many bytes.
  std::uint32_t shorter(std::size_t bytes, std::uint64_t packets) const;

  bool measured() const { return samples_ > 0; }
  /// Measured, or assumed from another measurement.
  bool known() const { return known_; }
  Duration round_trip() const { return smoothed_; }
  /// The last sample; round_trip() before the first one.
  Duration newest() const { return latest_; }
  /// The round trip, as heard() tells, and rather too short; 0: nobody knows.
  Duration guessed() const { return guessed_.value_or(Duration{0}); }
  Duration variation() const { return variation_; }
  /// The least of the last samples, of five seconds at least: the path without the queues that datagrams may
  /// have met. round_trip() before the first sample.
  Duration least() const { return measured() ? least_.value() : smoothed_; }

  /// The least of all samples: without the queues that this rank keeps full itself, for as long as it does. If the path
  /// has become longer, it follows within minutes. round_trip() before the first sample.
  Duration shortest() const { return measured() ? std::min(shortest_, least()) : smoothed_; }

  /// The silence after which something was lost: smoothed RTT + 4 variations (at least `timer_granularity`) +
  /// the time the peer may hold its report (RFC 9002, section 6.2.1).
  Duration probe_timeout() const;
  /// After this time a datagram without an echo is lost rather than late: 9/8 RTT (RFC 9002, kTimeThreshold).
  Duration loss_delay() const;
  /// How long a receiver waits for a datagram that was overtaken before it calls it missing.
  Duration reordering_window() const;
  /// The time between two reports of a receiver that misses something.
  Duration report_interval() const;
  /// How long a receiver holds back the report that all has arrived, because its own data may say so first.
  Duration acknowledgement_delay() const;
  /// The distance in time between two copies of a segment.
  Duration copy_spacing() const;

 private:
  std::optional<Sent> newest_echoed(const Echo& echo, bool in_turn, Instant now);
  void guess(Instant now);
  void sample(Duration round_trip, Instant sent);

  Fifo<Sent> log_;  ///< what was sent and not echoed yet, bounded
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t echoed_ = 0;
  std::uint64_t samples_ = 0;
  Duration smoothed_ = initial_round_trip;
  Duration variation_ = initial_round_trip / 4;
  Duration latest_ = initial_round_trip;
  bool known_ = false;
  std::optional<Duration> guessed_;  ///< once the peer has been heard
  RecentLeast least_{std::chrono::seconds{5}};
  Duration shortest_ = Duration::max();
};

}  // namespace lbsp::transport
