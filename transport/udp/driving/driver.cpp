#include "transport/udp/driving/driver.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "transport/paths/datagram_sizes.hpp"
#include "transport/paths/loss_estimate.hpp"
#include "transport/udp/driving/knocking.hpp"
#include "transport/udp/sockets/own_host.hpp"
#include "transport/udp/sockets/route.hpp"

namespace lbsp::transport {
namespace {

// The pacer would release one datagram after the other, each at the price of a wake-up. This many come
// together instead; its credit of a millisecond makes up for it. What a pretended network holds is not
// delayed by this.
constexpr Duration endpoint_quantum = std::chrono::microseconds{200};

std::string place_of(const PeerAddress& address) {
  const bool named = !address.name.empty() && address.name != address.host;
  return fmt::format("{}at {}", named ? fmt::format("on {} ", address.name) : "", to_string(address));
}

/// A receive buffer that the system has kept small holds few jumbo frames: there would be room for hardly one of each
/// peer's. So none are looked for, and none are answered.
ExchangeOptions fitted(ExchangeOptions options, const UdpPort& port) {
  constexpr std::size_t enough_in_buffer = 256;
  const auto buffer = static_cast<std::size_t>(port.receive_buffer_bytes());
  if (options.find_datagram && datagrams_in_buffer(buffer, options.datagram_bytes) < enough_in_buffer)
    options.datagram_bytes = std::min(options.datagram_bytes, usual_longest_datagram_bytes);
  return options;
}

/// The longest that may come: what the routes to the others do not carry does not come from them either.
std::size_t longest_arrival(Rank self, std::size_t most, const StationAddresses& peers) {
  std::size_t longest = 0;
  for (Rank rank = 0; rank < peers.stations(); ++rank) {
    if (rank == self || !peers.has(rank)) continue;
    longest = std::max(longest, longest_datagram(peers.of(rank)).value_or(most));
  }
  return longest == 0 ? most : std::min(longest, most);
}

EndpointConfig endpoint_config(const UdpJob& job, const ExchangeOptions& options, const UdpPort& port,
                               const StationAddresses& peers) {
  EndpointConfig config{job.rank, static_cast<Rank>(job.addresses.size()), options, job.key, job.cipher, {}};
  for (const auto& address : job.addresses)
    config.places.push_back(place_of(address));
  if (job.planner) config.planner = job.planner(job.rank);
  for (const auto& prior : job.priors)
    config.priors.push_back(prior.value_or(default_prior()));
  config.hosts = hosts_of_ranks(job);
  config.uplink_room = job.uplink_room;
  config.log = job.log;
  config.buffer_datagrams = datagrams_in_buffer(static_cast<std::size_t>(port.receive_buffer_bytes()),
                                                longest_arrival(job.rank, options.datagram_bytes, peers));
  return config;
}

StationAddresses resolve_peers(const UdpJob& job, const UdpPort& port) {
  std::vector<SocketAddress> peers(job.addresses.size());
  const auto hosts = hosts_of_ranks(job);
  for (std::size_t rank = 0; rank < peers.size(); ++rank) {
    // Of a slot that nobody has there is none.
    if (static_cast<Rank>(rank) == job.rank || job.addresses[rank].host.empty()) continue;
    peers[rank] = resolve(job.addresses[rank], port.family());
    const bool near = !hosts.empty() && hosts[rank] == hosts[static_cast<std::size_t>(job.rank)];
    if (near) peers[rank] = of_neighbour(port, peers[rank]);
  }
  return StationAddresses(peers);
}

DatagramLoop::Settings loop_settings(const UdpJob& job, const ExchangeOptions& options) {
  DatagramLoop::Settings settings{.receive = {.datagram_bytes = options.datagram_bytes,
                                              .sources = true,
                                              .trains = true,
                                              .ecn = true,
                                              .times = true},
                                  .quantum = endpoint_quantum};
  const auto size = static_cast<Rank>(job.addresses.size());
  if (job.wan)
    settings.link.emplace(*job.wan, job.wan_seed, job.rank,
                          options.outlives_ranks ? MemberSet::most + Callers::most : size);
  return settings;
}

LastingEndpoint make_endpoint(const UdpJob& job, const ExchangeOptions& options, const UdpPort& port,
                              const StationAddresses& peers) {
  EndpointConfig config = endpoint_config(job, options, port, peers);
  if (!job.newcomer_on) return {std::move(config), job.planner, UdpDriver::now()};
  const Letter letter = knock_for_letter(port, job);
  return {std::move(config), job.planner, letter, UdpDriver::now()};
}

}  // namespace

UdpDriver::UdpDriver(UdpPort port, const UdpJob& job)
    : options_(fitted(job.options, port)),
      peers_(resolve_peers(job, port)),
      shared_(port, job),
      endpoint_(make_endpoint(job, options_, port, peers_)),
      loop_(std::move(port), *this, loop_settings(job, options_)) {
  for (Rank rank = 0; rank < peers_.stations(); ++rank) {
    if (!peers_.has(rank)) continue;
    if (const auto bytes = longest_datagram(address_of(rank)))
      endpoint_.world().ways().limit_route(rank, *bytes);
  }
}

/// What the system knows to be too long, or has heard of a router (ICMP), is not tried.
void UdpDriver::limit_to_route(Rank rank, Instant time) {
  if (const auto bytes = longest_datagram(address_of(rank)))
    endpoint_.world().ways().limit_datagrams(rank, *bytes, time);
}

void UdpDriver::handle_datagram(std::span<std::byte> datagram, const SocketAddress& from,
                                const Arrival& arrival) {
  if (shared_.takes(datagram, from, arrival.ecn)) return;
  const auto from_whom = endpoint_.handle_datagram(datagram, arrival);
  if (from_whom && !shared_.has_handed_on(from)) came_from(from, *from_whom, arrival.at);
}

void UdpDriver::came_from(const SocketAddress& address, const HeardFrom& from, Instant time) {
  using From = StationAddresses::From;
  const Station station = from.rank;
  OwnWays& ways = endpoint_.world().ways();
  const From where = peers_.heard(station, address, from.copy);
  if (where == From::first) limit_to_route(station, time);
  if (where == From::known_again) ways.rest_address(station);
  if (where == From::elsewhere || where == From::asked) {
    const AddressChecks::Elsewhere elsewhere{
        .copy = from.copy, .anew = where == From::elsewhere, .repeated = peers_.repeated(station)};
    if (const auto question = ways.ask_address(station, elsewhere, time))
      peers_.asked(station, *question, address);
  }
  for (const auto& [there, question] : ways.take_address_answers()) {
    if (question ? peers_.move(there, *question) : peers_.move_to_newest(there)) limit_to_route(there, time);
  }
}

void UdpDriver::handle_timeout(Instant time) {
  if (endpoint_.next_timeout() <= time) endpoint_.handle_timeout(time);
}

Instant UdpDriver::next_timeout() const {
  return closing_ ? std::min(endpoint_.next_timeout(), farewell_end_) : endpoint_.next_timeout();
}

std::optional<Correspondent::Outgoing> UdpDriver::poll_transmit(std::span<std::byte> buffer, Instant time) {
  if (const auto handed_on = shared_.next(buffer)) return handed_on;
  if (closing_ && !endpoint_.failure()) return std::nullopt;
  auto transmit = endpoint_.poll_transmit(buffer, time);
  // Of a new process that has not knocked here it is not known where it is.
  while (transmit && !peers_.has(transmit->to))
    transmit = endpoint_.poll_transmit(buffer, time);
  if (!transmit) return std::nullopt;
  Outgoing outgoing{transmit->to, transmit->bytes, transmit->in_train, transmit->ecn};
  if (transmit->whereto != Whereto::known) outgoing.by_way_of = &peers_.of(transmit->to, transmit->whereto);
  return outgoing;
}

/// An interface or a route takes less than it did.
void UdpDriver::handle_refusal(Rank to, std::size_t bytes, Instant time) {
  if (bytes > endpoint_.world().ways().datagram_bytes(to))
    return;  // one of many that went out before the first refusal
  const auto route = longest_datagram(address_of(to));
  // A system that refuses what its route takes: shorter ones may pass.
  const bool of_route = route && *route < bytes;
  endpoint_.world().ways().limit_datagrams(to, of_route ? *route : next_smaller_datagram(bytes), time);
}

void UdpDriver::before_sending(Instant time) {
  for (const Rank rank : endpoint_.world().ways().take_doubtful())
    limit_to_route(rank, time);
  if (endpoint_.failure() && farewell_end_ == never) farewell_end_ = time + longest_farewell;
  if (on_event_) on_event_();
}

void UdpDriver::after_sending() {
  // What was just sent may have been the last word.
  if (endpoint_.failure() && on_event_) on_event_();
}

bool UdpDriver::farewell_over() const {
  const bool quiet = loop_.outflow().idle() && (!endpoint_.failure() || endpoint_.next_timeout() == never);
  return quiet || now() >= farewell_end_;
}

void UdpDriver::close() {
  closing_ = true;
  farewell_end_ = std::min(farewell_end_, now() + longest_farewell);
}

}  // namespace lbsp::transport
