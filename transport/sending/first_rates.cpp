#include "transport/sending/first_rates.hpp"

#include <algorithm>
#include <chrono>

#include "transport/paths/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

/// Hosts delay datagrams by less at once.
constexpr Duration least_overtaken_by = std::chrono::milliseconds{5};

}  // namespace

FirstRates::FirstRates(EndpointState& state)
    : state_(state),
      first_(static_cast<std::size_t>(state.peers.far()), first_datagram_bytes(state.config.options),
             finds_first_rate(state)) {}

bool FirstRates::full() const {
  const std::uint64_t sent = state_.rate.bytes_sent();
  const std::uint64_t leg = bytes_of_leg();
  return first_.full(sent) || widening_.full(sent, leg) || first_data_.full(sent, leg);
}

void FirstRates::judge(const Peer& to, const TrainMark& mark, Instant now) {
  const auto carried = first_.echoed(to.rank, mark);
  state_.rate_shown = first_.over();
  if (carried) return look_from(*carried, now);
  if (!first_.over()) return;
  if (first_.uneven()) widening_.begin(*first_.uneven(), state_.rate.bytes_sent());
  if (widening_.over()) begin_data(mark.bytes_to_all);
}

void FirstRates::begin_data(std::uint64_t echoed) {
  first_data_.begin(state_.peers.far(), state_.rate.sharers(), sent_to(longest_round_trip()), echoed);
}

void FirstRates::judge_widening(const TrainMark& mark, const BurstMeter::Seen& seen, Instant now) {
  const auto carried =
      widening_.echoed(mark, seen.step, {state_.rate.rate(), bytes_of_leg(), state_.rate.bytes_sent()});
  if (carried) return look_from(BytesPerSecond{carried->value * state_.rate.sharers()}, now);
  if (widening_.over()) begin_data(mark.bytes_to_all);
}

/// The least round trip may be that of a datagram that overtook others: then the next ones are later at once.
std::optional<BytesPerSecond> FirstRates::judge_data(const Peer& to, const TrainMark& mark,
                                                     const BurstMeter::Seen& seen, double variation,
                                                     Instant now) {
  if (!widening_.over()) {
    judge_widening(mark, seen, now);
    return std::nullopt;
  }
  const Duration later = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(variation));
  const Duration round_trip = to.path.times.least() + (later > least_overtaken_by ? later : Duration{0});
  FirstData::Sent sent = sent_to(round_trip);
  sent.to_one = state_.sends_most_to(to);
  const auto carried = first_data_.echoed(to.rank, seen, mark.bytes_to_all, sent, now);
  if (!carried) return std::nullopt;
  if (first_data_.echoes_soon() && state_.sends_little() && state_.rate.sharers() == 1) return carried;
  look_from(BytesPerSecond{carried->value * state_.rate.sharers()}, now);
  return std::nullopt;
}

void FirstRates::look_from(BytesPerSecond rate, Instant now) {
  if (state_.rate.look_from(rate, RateFinder::ShownBy::first_flight, now))
    state_.reports.set_rate(state_.rate.rate(), now);
}

FirstData::Sent FirstRates::sent_to(Duration round_trip) const {
  return {state_.rate.rate(), bytes_of_leg(), state_.rate.bytes_sent(), round_trip};
}

/// Of those that have been measured.
Duration FirstRates::longest_round_trip() const {
  Duration longest{0};
  for (const Rank rank : state_.peers.others()) {
    const Peer& other = state_.peers[rank];
    if (!other.near && other.path.times.measured()) longest = std::max(longest, other.path.times.least());
  }
  return longest;
}

}  // namespace lbsp::transport
