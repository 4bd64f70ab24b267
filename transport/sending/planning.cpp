#include "transport/sending/planning.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace lbsp::transport {
namespace {

/// What a processor seals, sends, receives and opens at most. A rank may be told a higher rate; planned with that,
/// copies would seem to cost next to nothing.
constexpr BytesPerSecond fastest = megabits_per_second(10'000);

constexpr int most_copies_before_answer = 2;

/// What is sent in advance is no more than the message itself as long as nobody has said what the network carries and
/// nothing is known to have arrived: the first datagrams of many ranks can fill a slow link for seconds. Copies are few
/// until the first flight has shown how fast the link is.
void limit_before_answer(const OutgoingMessage& message, bool rate_shown, MessagePlan& plan) {
  const int most = static_cast<int>(std::min<std::uint32_t>(message.segment_count(), most_repair_segments));
  if (!rate_shown) plan.copies = std::min(plan.copies, most_copies_before_answer);
  plan.repair_segments = std::min(plan.repair_segments, most);
  plan.most_segments = std::min(plan.most_segments, most);
}

struct RateOfLeg {
  BytesPerSecond rate;
  RateBound bound;
  BytesPerSecond bound_rate;
};

/// At which the leg goes: no faster than what was told that a path carries, or the bursts of its messages have shown.
RateOfLeg rate_of_leg(EndpointState& state, std::span<const PlannedMessage> messages) {
  const double on_wire = static_cast<double>(state.leg_bytes + state.leg_segments * data_overhead_bytes);
  const double rate = std::min(state.rate.rate_of_leg(state.legs.id().leg, on_wire), fastest).value;
  double bytes = 0;
  double least_seconds = 0;
  std::optional<BytesPerSecond> shown;  // of the path that takes longest; none: that was told
  const auto take = [&](const PlannedMessage& message, std::optional<BytesPerSecond> carried, bool is_shown) {
    const double takes = carried ? static_cast<double>(message.bytes) / carried->value : 0;
    if (takes <= least_seconds) return;
    least_seconds = takes;
    shown = is_shown ? carried : std::nullopt;
  };
  for (const PlannedMessage& message : messages) {
    bytes += static_cast<double>(message.bytes);
    const PathRate& path = state.peers[message.to].path.rate;
    take(message, path.told(), false);
    take(message, path.of_bursts(), true);
  }
  const bool of_path = rate * least_seconds > bytes;
  if (!of_path) return {{rate}, state.rate.limited() ? RateBound::shown : RateBound::host, {rate}};
  return {
      {bytes / least_seconds}, shown ? RateBound::path : RateBound::host, shown.value_or(BytesPerSecond{0})};
}

RateSource source_of(BytesPerSecond rate, const ExchangeOptions& options) {
  if (!options.find_rate) return RateSource::told;
  return rate == options.rate ? RateSource::guessed : RateSource::found;
}

}  // namespace

void Planning::note_pause(Instant now) {
  Instant ended{};
  for (const Rank from : state_.legs.sources())
    ended = std::max(ended, state_.peers[from].wait.progress_at);
  std::rotate(pauses_.begin(), pauses_.begin() + 1, pauses_.end());
  pauses_.back() = ended == Instant{} ? Duration{0} : now - ended;
}

void Planning::doubt_losses() {
  const MessageId id = state_.legs.id();
  if (id.leg != Leg::messages || !state_.sends_little()) return;
  double datagrams = 0;
  double lost = 0;
  for (const Rank to : state_.legs.destinations()) {
    if (state_.peers[to].near) continue;
    const KnownLoss loss = state_.peers[to].known_loss();
    const double known = std::min(static_cast<double>(loss.packets), LossEstimate::memory);
    datagrams += known;
    lost += known * from_fraction(loss.report.loss);
  }
  if (!doubt_.forgets(id.superstep, lost / std::max(datagrams, 1.0), datagrams, state_.queue_seen)) return;
  for (const Rank rank : state_.peers.others())
    state_.peers[rank].path.loss_at_bound.begin(state_.peers[rank].outbound.next_packet, doubt_.none_lost());
}

void Planning::share_losses() {
  if (!state_.config.priors.empty()) return;
  SharedLoss shared;
  for (const Rank rank : state_.peers.others()) {
    const Peer& other = state_.peers[rank];
    const KnownLoss loss = other.known_loss();
    shared.add(loss.report, loss.packets);
  }
  for (const Rank rank : state_.peers.others()) {
    Peer& other = state_.peers[rank];
    const KnownLoss loss = other.known_loss();
    const std::uint64_t packets = other.echoed.packets;
    const std::uint32_t lost = static_cast<std::uint32_t>(packets) - other.echoed.last.arrived;
    PathForecast prior = shared.prior_beside(loss.report, loss.packets);
    prior.loss_after_loss = prior.loss *= shared.loses_anything();
    other.path.prior = prior_with_past(prior, loss.report, packets, lost);
  }
}

void Planning::plan_leg() {
  doubt_losses();
  share_losses();
  const MessageId id = state_.legs.id();
  const EndpointConfig& config = state_.config;
  std::vector<PlannedMessage> messages;
  std::size_t datagram_bytes = 0;
  for (const Rank to : state_.legs.destinations()) {
    const OutgoingMessage& message = *state_.peers[to].outbound.messages.find(id);
    datagram_bytes = std::max(datagram_bytes, message.segment_bytes() + data_overhead_bytes);
    messages.push_back({to, message.total_bytes(), message.segment_count(), state_.peers[to].forecast(),
                        state_.peers[to].near});
  }
  std::vector<MessagePlan> plans(messages.size());
  const BytesPerSecond host_rate = state_.rate.host_rate();
  const RateOfLeg rate = rate_of_leg(state_, messages);
  const LegOutline outline{.rank = config.rank,
                           .size = config.size,
                           .recovery = config.options.recovery,
                           .rate = rate.rate,
                           .datagram_bytes = datagram_bytes,
                           .messages = messages,
                           .host_rate = host_rate,
                           .rate_source = source_of(host_rate, config.options),
                           .bound = rate.bound,
                           .bound_rate = rate.bound_rate,
                           .superstep = id.superstep,
                           .pause = std::ranges::min(pauses_)};
  if (id.leg == Leg::messages) forecast_ = {};
  const LegForecast leg = config.planner->plan(outline, plans);
  forecast_ += {.duration = leg.duration, .earlier = leg.earlier, .later = leg.later};
  for (std::size_t i = 0; i < plans.size(); ++i)
    protect(state_.peers[messages[i].to], plans[i]);
}

/// The message of this leg to that peer, as was planned, but for what the protocol does not do.
void Planning::protect(Peer& to, MessagePlan plan) {
  OutgoingMessage& message = *to.outbound.messages.find(state_.legs.id());
  plan.copies = std::clamp(plan.copies, 1, max_copies);
  plan.coded = plan.coded && state_.rules.codes;
  if (state_.config.options.find_rate && to.echoed.packets == 0)
    limit_before_answer(message, state_.rate_shown, plan);
  message.set_plan(plan);
  const int most = message.plan().coded ? message.blocks().most_transmissions() : message.plan().copies;
  forecast_.most_copies = std::max(forecast_.most_copies, most);
}

}  // namespace lbsp::transport
