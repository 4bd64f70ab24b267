#include "transport/peers/endpoint_state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"
#include "transport/fixed_redundancy.hpp"
#include "transport/peers/known_network.hpp"

namespace lbsp::transport {
namespace {

/// What is nearly all of what a leg sends.
constexpr double most_of_leg = 0.8;

EndpointConfig checked(EndpointConfig config) {
  validate(config.options);
  if (config.size < 1 || config.size > max_ranks || config.rank < 0 || config.rank >= config.size) {
    throw UsageError(
        fmt::format("rank {} of {} ranks: choose 1 to {} ranks", config.rank, config.size, max_ranks));
  }
  if (!config.planner) config.planner = std::make_shared<FixedRedundancy>(config.options.copies);
  return config;
}

double usual_loss(const std::vector<PathForecast>& priors) {
  if (priors.empty()) return default_prior().loss;
  const auto highest = std::ranges::max_element(priors, {}, &PathForecast::loss);
  return highest->loss;
}

ExchangeOptions options_of_rank(const EndpointConfig& config) {
  ExchangeOptions options = config.options;
  options.rate = own_rate(config);
  return options;
}

std::shared_ptr<HostUplink> shared_uplink(const EndpointConfig& config, Instant now) {
  const Rank ranks = ranks_on_own_host(config);
  if (!config.uplink_room || ranks < 2 || ranks > HostUplink::most_seats) return nullptr;
  const BytesPerSecond most =
      config.options.find_rate ? BytesPerSecond{highest_found_rate.value * ranks} : config.options.rate;
  return HostUplink::join(config.uplink_room, ranks,
                          UplinkRate(config.options, most, usual_loss(config.priors), now));
}

std::shared_ptr<HostDownlink> downlink_of(const EndpointConfig& config) {
  const Rank ranks = ranks_on_own_host(config);
  if (config.uplink_room && ranks >= 2 && ranks <= HostUplink::most_seats) {
    if (auto shared = HostDownlink::join(config.uplink_room, ranks)) return shared;
  }
  return std::make_shared<HostDownlink>(Rank{1});
}

/// With what the endpoint before has found, if no other rank has a part in it. What was told is another rate where
/// fewer ranks share it now.
RateControl begun_rate(const EndpointConfig& config, Instant now) {
  const ExchangeOptions options = options_of_rank(config);
  auto shared = shared_uplink(config, now);
  if (!shared && config.known && config.known->uplink && options.find_rate)
    return {options, *config.known->uplink, now};
  return {options, usual_loss(config.priors), now, std::move(shared), seat_on_own_host(config)};
}

}  // namespace

EndpointState::EndpointState(EndpointConfig given, Instant now)
    : config(checked(std::move(given))),
      rules(rules_of(config.options.recovery)),
      peers(config, now),
      alarm(peers),
      legs(peers, rules.legs_end_on_arrival),
      rate(begun_rate(config, now)),
      near_pacer(near_rate(config), config.options.datagram_bytes, now),
      downlink(downlink_of(config)),
      reports(own_rate(config), config.size, now),
      room(room_for_each_peer(config.buffer_datagrams, config.size)) {}

std::optional<BytesPerSecond> EndpointState::granted_rate(Instant now) const {
  std::optional<BytesPerSecond> granted;
  downlink->change([&](const Downlink& of_host) { granted = of_host.rate(now); });
  return granted;
}

void EndpointState::queue_report(Peer& to) {
  to.report.queued = true;
  reports.push(to.rank);
}

void EndpointState::release_held_back(Peer& to) {
  for (const PassJob& job : to.outbound.held_back)
    queue_to(to).passes.push(job);
  to.outbound.held_back.clear();
}

bool EndpointState::sends_most_to(const Peer& to) const {
  return std::ranges::any_of(to.outbound.messages, [this](const OutgoingMessage& message) {
    return static_cast<double>(message.total_bytes()) >= most_of_leg * static_cast<double>(leg_bytes);
  });
}

void EndpointState::forget_early() {
  const auto is_early = [](const auto& message) { return message.id().leg == Leg::early; };
  for (const Rank rank : peers.others()) {
    peers[rank].outbound.messages.remove_if(is_early);
    peers[rank].inbound.messages.remove_if(is_early);
  }
}

void EndpointState::cut_anew(Peer& to) {
  for (OutgoingMessage& message : to.outbound.messages) {
    if (message.acknowledged() || message.longest_datagram() <= to.path.sizes.in_use()) continue;
    const auto of_message = [&](const auto& job) {
      return job.peer == to.rank && job.message == message.id();
    };
    queue_to(to).repairs.remove_if(of_message);
    queue_to(to).passes.remove_if(of_message);
    queue_to(to).spares.remove_if(of_message);
    std::erase_if(to.outbound.held_back, of_message);
    message.cut_anew(to.path.segment_bytes(message.total_bytes()));
    queue_to(to).passes.push(PassJob{to.rank, message.id(), 0, 0});
  }
  to.path.narrow = {};
  to.path.narrow_until = to.outbound.next_packet;
}

}  // namespace lbsp::transport
