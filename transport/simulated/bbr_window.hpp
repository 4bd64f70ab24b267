#pragma once

#include <cstdint>
#include <deque>

#include "transport/simulated/tcp_window.hpp"

namespace lbsp::transport {

/// BBR's first version: it paces at the highest rate of delivery of ten rounds, keeps twice the product of that rate
/// and the least round trip of ten seconds in flight, and takes no notice of losses.
class BbrWindow : public TcpWindow {
 public:
  void acknowledge(const TcpAcknowledgement& acknowledgement) override;
  void reduce(Instant /*now*/) override {}
  void time_out(Instant now) override;
  double segments() const override { return phase_ == Phase::probe_round_trip ? fewest : window_; }
  std::optional<Duration> spacing() const override;

 private:
  enum class Phase : std::uint8_t { startup, drain, probe_rate, probe_round_trip };
  struct Sample {
    std::uint64_t round;
    double rate;
  };
  static constexpr double fewest = 4;

  void count_rounds(const TcpAcknowledgement& acknowledgement);
  void sample_rate(double rate);
  void sample_round_trip(const TcpAcknowledgement& acknowledgement);
  void look_for_full_pipe();
  void advance(const TcpAcknowledgement& acknowledgement);
  void advance_cycle(const TcpAcknowledgement& acknowledgement);
  void enter_probe_rate(Instant now);
  double product() const;  ///< of rate and least round trip: segments
  double gain() const;     ///< of the pace

  Phase phase_ = Phase::startup;
  std::deque<Sample> rates_;  ///< the highest comes first; each is lower and later than the one before it
  std::uint64_t round_ = 0;
  std::uint64_t round_ends_ = 0;  ///< with the acknowledgement of this segment
  bool round_began_ = false;
  double full_rate_ = 0;
  int rounds_without_growth_ = 0;
  Duration least_ = Duration::max();
  Instant least_at_{};
  Instant phase_began_{};
  std::size_t cycle_ = 0;
  double window_ = 10;
};

}  // namespace lbsp::transport
