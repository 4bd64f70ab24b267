#include "transport/rate/widening_start.hpp"

#include <algorithm>

#include "transport/rate/first_data.hpp"

namespace lbsp::transport {
namespace {

/// For so long a flight takes the link …
constexpr double flight_seconds = 0.1;
/// … but it has several times what the first flight had. FirstData is as cautious as a longer one.
constexpr double least_widening_window = 20 << 10;
constexpr double most_widening_window = FirstData::bytes_to_one;
/// Datagrams tell behind so much of a flight, and all is told behind so much: its last ones may be lost.
constexpr double part_that_tells = 0.4;
constexpr double part_of_widening = 0.75;
/// Where more is lost, what else came over the link meanwhile is not known.
constexpr double enough_of_flight = 0.5;
/// A longer flight that comes so much faster has been disturbed less by delays that vary.
constexpr double far_faster = 1.25;
/// Than what was sent: clearly slower.
constexpr double slower_than_start = 1.5;

/// What goes later than that, at the rate, meets a queue that has become shorter.
constexpr double without_pause_at_start = 1.5;
constexpr double lateness_at_start = 2e-3;  // seconds
/// So many may tell nothing.
constexpr int most_vain_flights = 3;

}  // namespace

void WideningStart::begin(BytesPerSecond shown, std::uint64_t sent) {
  shown_ = shown.value;
  over_ = false;
  widen(sent);
}

void WideningStart::widen(std::uint64_t sent) {
  const double window = std::max(flight_seconds * shown_, least_widening_window);
  over_ = window >= most_widening_window;
  window_ = static_cast<std::uint64_t>(window);
  begin_flight(sent);
}

void WideningStart::begin_flight(std::uint64_t sent) {
  begun_ = sent;
  first_sent_at_.reset();
  carries_ = sent_ = arrived_ = 0;
}

std::optional<BytesPerSecond> WideningStart::echoed(const TrainMark& mark, const Burst& step,
                                                    const Sent& sent) {
  if (over_) return std::nullopt;
  if (sent.leg_bytes <= window_) begin_flight(sent.bytes);
  if (mark.bytes_to_all <= begun_) return std::nullopt;
  sent_ += step.sent;
  arrived_ += step.arrived;
  if (mark.data) look(mark, step.queue, sent.rate);
  const auto window = static_cast<double>(window_);
  if (static_cast<double>(mark.bytes_to_all - begun_) < part_of_widening * window) return std::nullopt;
  if (carries_ == 0) {
    over_ = ++vain_flights_ >= most_vain_flights;
    begin_flight(sent.bytes);
    return std::nullopt;
  }
  const bool faster = carries_ > far_faster * shown_;
  shown_ = std::max(shown_, carries_);
  if (faster) {
    widen(sent.bytes);
    return std::nullopt;
  }
  over_ = true;
  return slower_than_start * shown_ < sent.rate.value ? std::optional(BytesPerSecond{shown_}) : std::nullopt;
}

/// By how long a datagram has been delayed behind those that went before it.
void WideningStart::look(const TrainMark& mark, double queue, BytesPerSecond rate) {
  if (!first_sent_at_) first_sent_at_ = mark.sent_at;
  const auto bytes = static_cast<double>(mark.bytes_to_all - begun_);
  const double sending = bytes / rate.value;
  const bool late =
      seconds(mark.sent_at - *first_sent_at_) > without_pause_at_start * sending + lateness_at_start;
  if (late || arrived_ <= enough_of_flight * sent_ || bytes < part_that_tells * static_cast<double>(window_))
    return;
  carries_ = std::max(carries_, arrived_ / sent_ * bytes / (queue + sending));
}

}  // namespace lbsp::transport
