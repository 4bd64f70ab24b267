#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "transport/units.hpp"

namespace lbsp::transport {

/// How a TcpFlow finds its window.
enum class CongestionControl : std::uint8_t {
  reno,  ///< RFC 5681
  cubic,  ///< RFC 9438: C = 0.4, β = 0.7, with its region that is friendly to Reno; slow start ends after HyStart
  bbr,  ///< the first version (Cardwell et al., ACM Queue 14(5), 2016), which Linux has as "bbr"
};

/// What the acknowledgement of one segment tells.
struct TcpAcknowledgement {
  Instant now;
  Duration round_trip;             ///< of this segment
  std::uint64_t number = 0;        ///< of this segment, counted from 0
  std::uint64_t next = 0;          ///< the number of the segment that will be sent next
  std::size_t in_flight = 0;       ///< segments, after this one
  double segments_per_second = 0;  ///< delivered between the sending of this segment and its acknowledgement
  bool recovering = false;         ///< this segment was sent before the last reduction for a loss
};

/// The window of a TcpFlow, in segments, and its pace: one kind of congestion control.
class TcpWindow {
 public:
  TcpWindow() = default;
  TcpWindow(const TcpWindow&) = delete;
  TcpWindow& operator=(const TcpWindow&) = delete;
  virtual ~TcpWindow() = default;

  virtual void acknowledge(const TcpAcknowledgement& acknowledgement) = 0;
  /// A segment was lost that was sent after the last reduction for a loss.
  virtual void reduce(Instant now) = 0;
  /// Nothing was acknowledged for a timeout.
  virtual void time_out(Instant now) = 0;

  virtual double segments() const = 0;
  /// Between two segments; nullopt: they go as soon as the window has room.
  virtual std::optional<Duration> spacing() const { return std::nullopt; }
};

std::unique_ptr<TcpWindow> make_tcp_window(CongestionControl control);

}  // namespace lbsp::transport
