#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>

#include "transport/simulated/bottleneck.hpp"
#include "transport/simulated/tcp_window.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// One TCP connection's data in virtual time, through a link that others share; its acknowledgements come back over a
/// path of their own, without loss. It shows what becomes of TCP beside lbsp, and no more: every segment is
/// acknowledged, losses are known as with SACK (three later segments have arrived), the receiver is never full, and
/// other segments are sent in place of those that were lost.
class TcpFlow {
 public:
  struct Config {
    CongestionControl control = CongestionControl::cubic;
    Duration round_trip = std::chrono::milliseconds{40};  ///< without queues
    Instant start{};
    Instant end = never;  ///< nothing new is sent from then on
    std::size_t segment_bytes = 1448;
    std::uint64_t segments = std::numeric_limits<std::uint64_t>::max();  ///< to be delivered
    bool ecn = false;  ///< its segments may be marked, which it takes for a loss (RFC 3168)
  };

  TcpFlow(const Config& config, std::shared_ptr<Bottleneck> link);

  Instant next_event() const;
  void step();

  std::uint64_t delivered_bytes() const { return delivered_ * config_.segment_bytes; }
  std::uint64_t lost_segments() const { return lost_; }
  double window() const { return window_->segments(); }
  Duration round_trip() const { return smoothed_; }
  /// When the last of config.segments was acknowledged.
  std::optional<Instant> finished() const { return finished_; }

 private:
  struct Segment {
    std::uint64_t number = 0;
    Instant sent;
    std::optional<Instant> acknowledged;  ///< none: dropped
    std::uint64_t delivered = 0;          ///< of all segments, when this one was sent
    Instant delivered_at;                 ///< the last of them
    bool marked = false;
  };

  bool may_send(Instant now) const;
  Instant arrival() const;
  void send(Instant now);
  void acknowledge(const Segment& segment, Instant now);
  void sample(Duration round_trip);
  void time_out(Instant now);
  Instant timeout_at() const;

  Config config_;
  std::shared_ptr<Bottleneck> link_;
  std::unique_ptr<TcpWindow> window_;
  std::deque<Segment> in_flight_;
  Instant last_progress_;
  Instant next_send_;
  std::uint64_t next_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t recovered_at_ = 0;  ///< losses of segments before this one are of a reduction that was made
  std::optional<Instant> finished_;
  Duration smoothed_{0};
  Duration variation_{0};
};

}  // namespace lbsp::transport
