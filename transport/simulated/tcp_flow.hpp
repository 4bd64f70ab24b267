#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "transport/simulated/bottleneck.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How a TcpFlow finds its window.
enum class CongestionControl : std::uint8_t {
  reno,  ///< RFC 5681
  cubic,  ///< RFC 9438: C = 0.4, β = 0.7, with its region that is friendly to Reno; slow start ends after HyStart
};

/// One TCP connection's bulk data in virtual time, through a link that others share; its acknowledgements come
/// back over a path of their own, without loss. It shows what becomes of TCP beside lbsp, and no more: every
/// segment is acknowledged, losses are known as with SACK (three later segments have arrived), and the receiver
/// is never full.
class TcpFlow {
 public:
  struct Config {
    CongestionControl control = CongestionControl::cubic;
    Duration round_trip = std::chrono::milliseconds{40};  ///< without queues
    Instant start{};
    Instant end = never;  ///< nothing new is sent from then on
    std::size_t segment_bytes = 1448;
  };

  TcpFlow(const Config& config, std::shared_ptr<Bottleneck> link);

  Instant next_event() const;
  void step();

  std::uint64_t delivered_bytes() const { return delivered_ * config_.segment_bytes; }
  std::uint64_t lost_segments() const { return lost_; }
  double window() const { return window_; }  ///< segments
  Duration round_trip() const { return smoothed_; }

 private:
  struct Segment {
    std::uint64_t number = 0;
    Instant sent;
    std::optional<Instant> acknowledged;  ///< none: dropped
  };

  void send(Instant now);
  void acknowledge(const Segment& segment, Instant now);
  void sample(Duration round_trip);
  void grow(Instant now);
  double cubic_window(Instant now);
  void reduce();
  void time_out(Instant now);
  Instant timeout_at() const;

  Config config_;
  std::shared_ptr<Bottleneck> link_;
  std::deque<Segment> in_flight_;
  Instant last_progress_;
  std::uint64_t next_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t recovered_at_ = 0;  ///< losses of segments before this one are of a reduction that was made
  double window_ = 10;
  double threshold_ = 1e9;  ///< of slow start
  double highest_ = 0;      ///< cubic: the window before the last reduction
  double friendly_ = 0;     ///< cubic: what Reno's window would be
  std::optional<Instant> epoch_;
  Duration smoothed_{0};
  Duration variation_{0};
  Duration least_ = Duration::max();
};

}  // namespace lbsp::transport
