#include "transport/paths/path_estimate.hpp"

#include <algorithm>
#include <utility>

#include "transport/protocol_times.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// More than is in flight on a path of 1 Gbit/s and 150 ms. Beyond it, sends are not logged until echoes
/// come.
constexpr std::size_t log_capacity = 16384;
/// The first ones may be of hosts that are not quite ready.
constexpr std::uint64_t samples_to_know = 4;
/// Ranks that begin to send at the same time do so to within this; and who begins much later does not make a path
/// longer than that.
constexpr Duration same_time = 10ms;
constexpr Duration longest_guess = 200ms;

}  // namespace

void PathEstimate::assume(Duration round_trip, Duration variation) {
  if (measured()) return;
  smoothed_ = latest_ = round_trip;
  variation_ = variation;
  known_ = true;
}

void PathEstimate::sent(std::uint64_t packet_number, Instant now, std::uint32_t train, std::size_t bytes,
                        std::uint64_t bytes_to_all) {
  bytes_sent_ += bytes;
  if (log_.size() < log_capacity)
    log_.push_back({packet_number, now, train, bytes, bytes_sent_, bytes_to_all});
}

void PathEstimate::guess(Instant now) {
  guessed_ = Duration{0};
  if (!log_.empty())
    guessed_ = std::clamp(2 * (now - log_.front().at - same_time), Duration{0}, longest_guess);
}

std::uint32_t PathEstimate::shorter(std::size_t bytes, std::uint64_t packets) const {
  std::uint32_t count = 0;
  for (const Sent& sent : log_)
    count += sent.packet_number >= echoed_ && sent.packet_number < packets && sent.bytes < bytes ? 1 : 0;
  return count;
}

std::optional<PathEstimate::Sent> PathEstimate::newest_echoed(const Echo& echo, bool in_turn, Instant now) {
  if (log_.empty() || log_.front().packet_number + 1 != echo.packets) return std::nullopt;
  const Sent datagram = log_.front();
  if (!in_turn) return datagram;
  const Duration elapsed = now - datagram.at;
  sample(std::max(elapsed - Duration{std::chrono::microseconds{echo.hold_microseconds}}, Duration{1us}),
         datagram.at);
  return datagram;
}

void PathEstimate::sample(Duration round_trip, Instant sent) {
  latest_ = round_trip;
  if (samples_ + 1 >= samples_to_know) known_ = true;
  if (least_.ends_period(sent) && samples_ > 0)
    shortest_ = std::min(shortest_, least()) + std::max(Duration{0}, least() - shortest_) / 64;
  least_.add(round_trip, sent);
  if (samples_++ == 0) {
    smoothed_ = round_trip;
    variation_ = round_trip / 2;
    return;
  }
  variation_ += (std::chrono::abs(smoothed_ - round_trip) - variation_) / 4;
  smoothed_ += (round_trip - smoothed_) / 8;
}

Duration PathEstimate::probe_timeout() const {
  return smoothed_ + std::max(4 * variation_, protocol::timer_granularity) + acknowledgement_delay();
}

Duration PathEstimate::loss_delay() const {
  const Duration round_trip = std::max(smoothed_, latest_);
  return round_trip + round_trip / protocol::loss_delay_divisor + protocol::loss_delay_slack;
}

Duration PathEstimate::reordering_window() const {
  return protocol::reordering_window.of(smoothed_);
}

Duration PathEstimate::report_interval() const {
  return protocol::report_interval.of(smoothed_);
}

Duration PathEstimate::acknowledgement_delay() const {
  return protocol::acknowledgement_delay.of(smoothed_);
}

Duration PathEstimate::copy_spacing() const {
  return protocol::copy_spacing.of(smoothed_);
}

}  // namespace lbsp::transport
