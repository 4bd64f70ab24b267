#include "transport/lasting/lasting_endpoint.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::transport {

EndpointConfig LastingEndpoint::checked_for_all_epochs(EndpointConfig config) {
  if (config.options.outlives_ranks && config.size > MemberSet::most)
    throw UsageError(
        fmt::format("{} ranks are too many to go on without some: choose {} at most, or --on-failure abort",
                    config.size, MemberSet::most));
  return config;
}

LastingEndpoint::LastingEndpoint(EndpointConfig config, PlannerFactory planner, Instant now)
    : config_(checked_for_all_epochs(std::move(config))),
      planner_(std::move(planner)),
      routes_(static_cast<std::size_t>(std::max(config_.size, Rank{0})), config_.options.datagram_bytes),
      sleep_(config_.options.peer_timeout) {
  if (config_.options.outlives_ranks) {
    begin_to_last();
    enter(0, MemberSet::first(config_.size), {}, now);
  } else {
    names_.enter_only(std::max(config_.size, Rank{0}));
    rank_ = config_.rank;
    endpoint_ = std::make_unique<Endpoint>(config_, now);
  }
}

void LastingEndpoint::begin_early(const std::vector<Rank>& sources, Instant now) {
  if (agreeing()) return;
  endpoint_->begin_early(sources, now);
  follow(now);
}

bool LastingEndpoint::exchange_complete() const {
  return !change_ && !agreeing() && endpoint_->exchange_complete();
}

/// One more exchange of nothing: who completes it knows that all others have completed the last one.
void LastingEndpoint::begin_finish(Instant now) {
  if (!agreement_) return endpoint_->begin_finish(now);
  closing_ = true;
  begin([&](Endpoint& endpoint) { endpoint.begin_exchange(std::vector<Bytes>(names_.slots().size()), now); },
        now);
}

/// A peer that takes its leave knows that all have completed the last exchange, whatever else is awaited here. From
/// here on nothing is agreed on any more: who still misses somebody is told so by FIN. Who has slept may have been
/// given up since what it reads first had come.
void LastingEndpoint::leave_when_all_are_done(Instant now) {
  if (!closing_ || leaving_ || change_ || endpoint_->failure()) return;
  const bool all_done = !agreeing() && endpoint_->exchange_complete() && !sleep_.is_just_over(now);
  if (!all_done && !endpoint_->heard_farewell()) return;
  leaving_ = true;
  endpoint_->begin_finish(now);
}

void LastingEndpoint::abort(std::string_view reason, Instant now) {
  if (!excluded_) endpoint_->abort(reason, now);
}

WorldChange LastingEndpoint::take_change() {
  return *std::exchange(change_, std::nullopt);
}

std::optional<Station> LastingEndpoint::handle_datagram(std::span<std::byte> datagram,
                                                        const Arrival& arrival) {
  if (!agreement_) return endpoint_->handle_datagram(datagram, arrival);
  const auto header = read_clear_header(datagram);
  if (!header || excluded_) return std::nullopt;
  const Instant now = arrival.at;
  time_ = now;
  sleep_.look(now);
  if (header->kind == DatagramKind::knock) return take_knock(datagram, now);
  if (header->kind == DatagramKind::view) {
    if (!leaving_) take_view(datagram, now);
    follow(now);
    return std::nullopt;
  }
  const Rank source = names_.name_ranks(datagram, *header);
  const std::uint64_t received = endpoint_->counters().datagrams_received;
  const auto newest_of = endpoint_->handle_datagram(datagram, arrival);
  const bool authentic = endpoint_->counters().datagrams_received != received;
  if (authentic) {
    agreement_->heard(header->source, now);
    agreement_->answers_take(header->source, endpoint_->answers_take(source));
  }
  const auto newest_from = newest_of ? std::optional(names_.station_at(*newest_of)) : std::nullopt;
  follow(now);
  return newest_from;
}

void LastingEndpoint::take_view(std::span<std::byte> datagram, Instant now) {
  if (!agreement_->take_datagram(datagram, now)) past_.take_datagram(datagram, now);
}

std::optional<Transmit> LastingEndpoint::next_view(std::span<std::byte> buffer, Instant now) {
  if (const auto view = past_.next_datagram(buffer, now)) return view;
  if (excluded_ || leaving_) return std::nullopt;
  const auto view = agreement_->next_datagram(buffer, now);
  return view ? std::optional(Transmit{names_.station_of(view->first), view->second}) : std::nullopt;
}

std::optional<Transmit> LastingEndpoint::poll_transmit(std::span<std::byte> buffer, Instant now) {
  if (!agreement_) return endpoint_->poll_transmit(buffer, now);
  if (const auto view = next_view(buffer, now)) return view;
  if (const auto letter = next_letter(buffer)) return letter;
  if (excluded_ || sends_in_vain()) return std::nullopt;
  auto transmit = endpoint_->poll_transmit(buffer, now);
  if (!transmit) return std::nullopt;
  names_.name_slots(buffer.first(transmit->bytes));
  transmit->to = names_.station_at(transmit->to);
  return transmit;
}

/// What is sent while the members agree is in vain, unless it ends the job.
bool LastingEndpoint::sends_in_vain() const {
  return agreeing() && !leaving_ && !endpoint_->failure();
}

Instant LastingEndpoint::next_timeout() const {
  if (!agreement_) return endpoint_->next_timeout();
  Instant next = past_.next_timeout();
  if (excluded_) return next;
  if (!leaving_ && !endpoint_->failure()) next = std::min(next, agreement_->next_timeout());
  return sends_in_vain() ? next : std::min(next, endpoint_->next_timeout());
}

void LastingEndpoint::handle_timeout(Instant now) {
  if (!agreement_) return endpoint_->handle_timeout(now);
  if (excluded_) return;
  time_ = now;
  sleep_.look(now);
  const bool failed = endpoint_->failure().has_value();
  if (!leaving_ && !failed && agreement_->next_timeout() <= now) agreement_->handle_timeout(now);
  const bool in_vain = agreeing() && !leaving_ && !failed;
  if (!in_vain && endpoint_->next_timeout() <= now) endpoint_->handle_timeout(now);
  follow(now);
}

std::vector<Slot> LastingEndpoint::awaited() const {
  std::vector<Slot> awaited;
  for (const Rank rank : endpoint_->awaited())
    awaited.push_back(names_.slot(rank));
  return awaited;
}

TrafficCounters LastingEndpoint::counters() const {
  TrafficCounters sum = earlier_.traffic();
  sum += endpoint_->counters();
  return sum;
}

}  // namespace lbsp::transport
