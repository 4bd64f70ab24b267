#include "transport/core/lasting_endpoint.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

/// Of a path of which nothing is known.
constexpr Duration usual_round_trip = std::chrono::milliseconds{100};

template <class Value>
std::vector<Value> of_slots(const std::vector<Value>& by_slot, const std::vector<Slot>& slots) {
  std::vector<Value> chosen;
  if (by_slot.empty()) return chosen;
  for (const Slot slot : slots)
    chosen.push_back(by_slot[static_cast<std::size_t>(slot)]);
  return chosen;
}

Duration longest_round_trip(const EndpointConfig& config) {
  Duration longest{0};
  for (const PathForecast& prior : config.priors)
    longest = std::max(longest, prior.round_trip);
  return longest == Duration{0} ? usual_round_trip : longest;
}

EndpointConfig checked(EndpointConfig config) {
  if (config.size > MemberSet::most) {
    throw UsageError(
        fmt::format("{} ranks are too many to go on without some: choose {} at most, or --on-failure abort",
                    config.size, MemberSet::most));
  }
  config.outlived = true;
  return config;
}

}  // namespace

LastingEndpoint::LastingEndpoint(EndpointConfig config, PlannerFactory planner, Instant now)
    : config_(checked(std::move(config))), planner_(std::move(planner)) {
  enter(0, MemberSet::first(config_.size), now);
}

void LastingEndpoint::enter(Epoch epoch, const MemberSet& members, Instant now) {
  slots_.clear();
  members.for_each([&](Slot slot) { slots_.push_back(slot); });
  EndpointConfig config = config_;
  config.rank = members.below(slot());
  config.size = members.count();
  config.places = of_slots(config_.places, slots_);
  config.priors = of_slots(config_.priors, slots_);
  config.hosts = of_slots(config_.hosts, slots_);
  if (epoch > 0) config.planner = planner_ ? std::shared_ptr(planner_(config.rank)) : nullptr;
  const Duration limit = config.options.peer_timeout;
  endpoint_ = std::make_unique<Endpoint>(std::move(config), now);
  agreement_ = std::make_unique<Agreement>(AgreementConfig{.self = slot(),
                                                           .epoch = epoch,
                                                           .members = members,
                                                           .peer_timeout = limit,
                                                           .round_trip = longest_round_trip(config_)},
                                           Held{completed_, completed_}, now);
  channel_ = std::make_unique<ViewChannel>(config_.key, slot(), members, config_.cipher);
  begun_ = false;
  waiting_ = false;
}

/// Who begins a superstep has completed the one before, and all others have begun that.
void LastingEndpoint::begin_exchange(std::vector<Bytes> outgoing, Instant now) {
  // What this process has said that it holds must stay so.
  waiting_ = agreement_->stage() != Agreement::Stage::run;
  if (waiting_) return;
  const std::uint64_t older = completed_;
  if (begun_) ++completed_;
  begun_ = true;
  agreement_->hold({older, completed_});
  endpoint_->begin_exchange(std::move(outgoing), now);
}

bool LastingEndpoint::exchange_complete() const {
  return !change_ && !waiting_ && agreement_->stage() == Agreement::Stage::run &&
         endpoint_->exchange_complete();
}

void LastingEndpoint::begin_finish(Instant now) {
  endpoint_->begin_finish(now);
}

WorldChange LastingEndpoint::take_change() {
  return *std::exchange(change_, std::nullopt);
}

const std::optional<Failure>& LastingEndpoint::failure() const {
  return excluded_ ? excluded_ : endpoint_->failure();
}

std::optional<Slot> LastingEndpoint::handle_datagram(std::span<std::byte> datagram, Instant now) {
  const auto header = read_clear_header(datagram);
  if (!header || excluded_) return std::nullopt;
  if (header->kind == DatagramKind::view) {
    const bool taken = takes_view(*agreement_, *channel_, datagram, now) ||
                       (past_.agreement && takes_view(*past_.agreement, *past_.channel, datagram, now));
    follow(now);
    return taken ? std::optional<Slot>(header->source) : std::nullopt;
  }
  const auto rank = endpoint_->handle_datagram(datagram, now);
  if (!rank) return std::nullopt;
  const Slot from = slot_of(*rank);
  agreement_->heard(from, now);
  return from;
}

bool LastingEndpoint::takes_view(Agreement& agreement, ViewChannel& channel, std::span<std::byte> datagram,
                                 Instant now) {
  const auto said = channel.read(datagram);
  if (said) agreement.take(said->first, said->second, now);
  return said.has_value();
}

std::optional<Transmit> LastingEndpoint::next_view(Agreement& agreement, ViewChannel& channel,
                                                   std::span<std::byte> buffer, Instant now) {
  const auto to = agreement.poll(now);
  if (!to) return std::nullopt;
  return Transmit{*to, channel.write(*to, agreement.view(), buffer)};
}

std::optional<Transmit> LastingEndpoint::poll_transmit(std::span<std::byte> buffer, Instant now) {
  if (past_.agreement) {
    if (const auto view = next_view(*past_.agreement, *past_.channel, buffer, now)) return view;
  }
  if (excluded_) return std::nullopt;
  if (const auto view = next_view(*agreement_, *channel_, buffer, now)) return view;
  auto transmit = endpoint_->poll_transmit(buffer, now);
  if (transmit) transmit->to = slot_of(transmit->to);
  return transmit;
}

Instant LastingEndpoint::next_timeout() const {
  if (excluded_) return never;
  Instant next = std::min(endpoint_->next_timeout(), agreement_->next_timeout());
  if (past_.agreement) next = std::min(next, past_.agreement->next_timeout());
  return next;
}

void LastingEndpoint::handle_timeout(Instant now) {
  if (excluded_) return;
  if (endpoint_->next_timeout() <= now) endpoint_->handle_timeout(now);
  if (agreement_->next_timeout() <= now) agreement_->handle_timeout(now);
  follow(now);
}

/// Goes on in the next epoch, or ends, if it has been decided so.
void LastingEndpoint::follow(Instant now) {
  if (agreement_->stage() == Agreement::Stage::out) {
    excluded_ = Failure{Failure::Kind::peer_lost, rank(), message(*agreement_->exclusion())};
    return;
  }
  if (agreement_->stage() != Agreement::Stage::decided) return;
  const Epoch epoch = agreement_->config().epoch;
  const Decision value = *agreement_->view().decided;
  const MemberSet before = members();
  past_ = {std::move(agreement_), std::move(channel_)};
  config_.key = next_epoch_key(config_.key, epoch, value);
  completed_ = value.boundary;
  const MemberSet lost = (change_ ? change_->lost : MemberSet{}) | (before - value.members);
  enter(epoch + 1, value.members, now);
  change_ = WorldChange{epoch + 1, value.members, lost, value.boundary};
}

Slot LastingEndpoint::slot_of(Rank rank) const {
  return slots_[static_cast<std::size_t>(rank)];
}

}  // namespace lbsp::transport
