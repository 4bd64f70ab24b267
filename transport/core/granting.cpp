#include "transport/core/granting.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lbsp::transport {
namespace {

/// On shorter paths, hosts and reports delay echoes as much as queues do.
constexpr Duration least_path_with_queues = std::chrono::milliseconds{10};
/// Less has been sent before an answer could change its rate.
constexpr double least_datagrams = 96;
/// Each peer is taken to lack so many more: what its repairs may need, and what it learns of its path by.
constexpr double further_datagrams = 3;
/// What all lack is added up again after so much time.
constexpr Duration lasting = std::chrono::milliseconds{1};
/// A peer is told its part before a leg if what it knows differs by more.
constexpr double hardly_different = 0.15;

}  // namespace

void Granting::arrived(Peer& from, const SegmentHeader& header, std::size_t datagram_bytes, bool newest,
                       Instant now) {
  if (from.near || !state_.rules.bounds_flight) return;
  if (header.message >= from.inbound.newest) {
    from.inbound.newest = header.message;
    from.inbound.newest_bytes = header.total_bytes;
  }
  if (!newest || !header.echo || header.echo->packets == 0) return;
  const Duration sending =
      state_.rate.rate().time_for(static_cast<double>(state_.downlink.offered() - from.inbound.offered));
  const QueueSample sample =
      from.inbound.gauge.add({.peer = from.rank,
                              .written_at = header.echo->arrival_microseconds + header.echo->hold_microseconds,
                              .packets = from.inbound.numbers.next(),
                              .arrived = from.inbound.numbers.distinct(),
                              .bytes = datagram_bytes,
                              .data = 2 * datagram_bytes >= from.path.sizes.in_use()},
                             sending, now);
  const bool told = !state_.config.options.find_rate;
  const Duration least = from.path.times.least();
  const auto datagram = static_cast<double>(from.path.sizes.in_use());
  add_up(now);
  const double most = told ? own_rate(state_.config).value * state_.peers.far() : highest_found_rate.value;
  const QueueBound::Context context{
      .round_trip = least,
      .datagram_bytes = from.path.sizes.in_use(),
      .most = {most},
      .told = told,
      .usual_loss = from.path.prior.loss,
      .may_begin = least >= least_path_with_queues && lacking_ >= least_datagrams * datagram,
      .alone = false};
  if (state_.downlink.judge(sample, {least, static_cast<std::uint64_t>(lacking_), context}, now))
    added_up_at_.reset();
  from.inbound.offered = state_.downlink.offered();
}

void Granting::leg_begun(Instant now) {
  added_up_at_.reset();
  for (const Rank rank : state_.legs.sources()) {
    Peer& from = state_.peers[rank];
    if (from.near || from.report.queued || !from.wait.awaited) continue;
    const auto grant = rate_for(from, now);
    const double told = from.report.granted ? from.report.granted->value : 0;
    const double now_granted = grant ? grant->value : 0;
    if (std::abs(now_granted - told) > hardly_different * std::max(told, now_granted))
      state_.queue_report(from);
  }
}

std::optional<BytesPerSecond> Granting::rate_for(const Peer& to, Instant now) {
  const auto rate = state_.downlink.rate(now);
  if (!rate || to.near) return std::nullopt;
  add_up(now);
  const auto datagram = static_cast<double>(to.path.sizes.in_use());
  const double least = 2 * datagram / std::max(seconds(to.path.times.round_trip()), 1e-3);
  return BytesPerSecond{std::max(rate->value * lacking(to) / lacking_, std::min(least, rate->value))};
}

/// Of the message that is awaited and has not begun, as much as of the one before.
double Granting::lacking(const Peer& from) const {
  double bytes = further_datagrams * static_cast<double>(from.path.sizes.in_use());
  for (const IncomingMessage& message : from.inbound.messages)
    bytes += static_cast<double>(message.total_bytes() - message.arrived_bytes());
  const bool begun = from.inbound.newest >= state_.legs.id();
  if (from.wait.awaited && !begun) bytes += static_cast<double>(from.inbound.newest_bytes);
  return bytes;
}

void Granting::add_up(Instant now) {
  if (added_up_at_ && now - *added_up_at_ < lasting) return;
  added_up_at_ = now;
  lacking_ = 0;
  for (const Rank rank : state_.peers.others()) {
    const Peer& from = state_.peers[rank];
    if (!from.near) lacking_ += lacking(from);
  }
}

}  // namespace lbsp::transport
