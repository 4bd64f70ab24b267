#include "transport/simulated/network.hpp"

#include <fmt/format.h>
#include <map>
#include <stdexcept>

#include "transport/rate/host_downlink.hpp"

namespace lbsp::transport {
namespace {

// The same for the same seed, as packets' bytes, and so what corruption does to them, depend on it.
JobKey simulated_key(std::uint64_t seed) {
  JobKey key;
  Random random(~seed);
  for (auto& byte : key.bytes)
    byte = static_cast<std::uint8_t>(random.next());
  return key;
}

std::uint64_t virtual_nanoseconds(Instant time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

}  // namespace

SimulatedNetwork::SimulatedNetwork(const SimulationConfig& config)
    : ways_(config), faults_(config.faults), beginning_(config.beginning), now_(beginning_) {
  const auto key = simulated_key(config.seed);
  std::map<std::uint16_t, std::shared_ptr<std::byte>> uplinks;
  nodes_.reserve(static_cast<std::size_t>(config.size));
  for (Rank rank = 0; rank < config.size; ++rank) {
    EndpointConfig endpoint{rank, config.size, config.options, key, config.cipher, {}};
    if (config.planner) endpoint.planner = config.planner(rank);
    if (!config.rates.empty()) endpoint.options.rate = config.rates[static_cast<std::size_t>(rank)];
    endpoint.priors = config.priors;
    if (!config.logs.empty()) endpoint.log = config.logs[static_cast<std::size_t>(rank)];
    if (config.topology.hosts.size() > 1) endpoint.hosts = ways_.hosts();
    if (config.topology.ranks_share_uplinks && ranks_on_own_host(endpoint) > 1) {
      auto& room = uplinks[endpoint.hosts[static_cast<std::size_t>(rank)]];
      if (!room) room = make_host_room();
      endpoint.uplink_room = room;
    }
    endpoint.buffer_datagrams = config.faults.socket_datagrams;
    nodes_.push_back(std::make_unique<Node>(endpoint, now_));
  }
  for (Rank rank = 0; rank < config.size; ++rank)
    pump(rank);
}

Instant SimulatedNetwork::next_event() const {
  return std::min(ways_.next(), deadlines_.empty() ? never : deadlines_.top().time);
}

std::optional<Rank> SimulatedNetwork::step() {
  const auto time = next_event();
  if (time == never) return std::nullopt;
  advance_to(time);
  if (ways_.downlink_due(time)) return ways_.enter_downlink(now_);
  return ways_.arrival_due(time) ? deliver() : reach_deadline();
}

void SimulatedNetwork::advance_to(Instant time) {
  // An endpoint that asks for the present again and again would stop time: a fault to be shown, not a hang.
  constexpr std::uint64_t most_steps_at_once = 10'000'000;
  idle_steps_ = time > now_ ? 0 : idle_steps_ + 1;
  if (idle_steps_ > most_steps_at_once) {
    throw std::logic_error(fmt::format("virtual time stands still at {} ns", virtual_nanoseconds(now_)));
  }
  now_ = std::max(now_, time);
}

Rank SimulatedNetwork::deliver() {
  const auto arrival = ways_.take_arrival();
  Node& to = node(arrival.to);
  if (!present(to)) {
    ways_.pool().release(arrival.slot);
  } else if (frozen(arrival.to)) {
    if (to.waiting.size() < faults_.socket_datagrams) {
      to.waiting.push_back(arrival);
    } else {
      ways_.pool().release(arrival.slot);
      to.endpoint.note_overflowed(++to.overflowed);
    }
  } else {
    hand_over(arrival);
    pump(arrival.to);
  }
  return arrival.to;
}

void SimulatedNetwork::hand_over(const DelayLine::Arrival& arrival) {
  ++deliveries_;
  note(virtual_nanoseconds(now_));
  note((static_cast<std::uint64_t>(arrival.from) << 32) | static_cast<std::uint32_t>(arrival.to));
  note(arrival.bytes);
  node(arrival.to)
      .endpoint.handle_datagram(ways_.pool().bytes(arrival.slot).first(arrival.bytes),
                                {now_, arrival.ecn, now_ - arrival.time});
  ways_.pool().release(arrival.slot);
}

/// If the rank is frozen, its next deadline is when it goes on.
bool SimulatedNetwork::frozen(Rank rank) {
  const auto until = faults_.frozen_until(rank, now_ - beginning_);
  if (!until) return false;
  Node& stopped = node(rank);
  const Instant thaw = beginning_ + *until;
  if (stopped.armed != thaw) {
    stopped.armed = thaw;
    deadlines_.push({thaw, sequence_++, rank});
  }
  return true;
}

Rank SimulatedNetwork::reach_deadline() {
  const auto deadline = deadlines_.top();
  deadlines_.pop();
  ++wake_ups_;
  auto& reached = node(deadline.rank);
  if (!present(reached) || frozen(deadline.rank)) return deadline.rank;
  if (reached.armed == deadline.time) reached.armed = never;
  // Of a process that goes on after a stop, timers may strike before it reads its socket, or the other way.
  if (deadline.rank % 2 == 0) pump(deadline.rank);
  for (const auto& arrival : std::exchange(reached.waiting, {}))
    hand_over(arrival);
  pump(deadline.rank);
  return deadline.rank;
}

void SimulatedNetwork::pump(Rank rank) {
  auto& from = node(rank);
  if (!present(from)) return;
  if (from.endpoint.next_timeout() <= now_) from.endpoint.handle_timeout(now_);
  ask_system(rank);
  for (;;) {
    const auto slot = ways_.pool().acquire();
    const auto transmit = from.endpoint.poll_transmit(ways_.pool().bytes(slot), now_);
    if (!transmit) {
      ways_.pool().release(slot);
      break;
    }
    const auto longest = ways_.send({rank, transmit->to, slot, transmit->bytes, transmit->ecn}, now_);
    if (longest) from.endpoint.routes().lower(transmit->to, *longest, now_);
  }
  const auto deadline = from.endpoint.next_timeout();
  if (deadline < from.armed) {
    from.armed = deadline;
    deadlines_.push({deadline, sequence_++, rank});
  }
  const bool complete = from.endpoint.exchange_complete();
  if (complete && !from.complete) {
    note(virtual_nanoseconds(now_));
    note(static_cast<std::uint64_t>(rank));
  }
  from.complete = complete;
}

/// About the paths that have begun to look narrow, as UdpDriver does.
void SimulatedNetwork::ask_system(Rank rank) {
  Endpoint& endpoint = node(rank).endpoint;
  for (const Rank to : endpoint.routes().take_doubtful()) {
    const auto* narrowing =
        faults_.narrowing(rank, to, now_ - beginning_, endpoint.routes().datagram_bytes(to));
    if (narrowing != nullptr && narrowing->heard) endpoint.routes().lower(to, narrowing->bytes, now_);
  }
}

void SimulatedNetwork::remove(Rank rank, Instant when) {
  node(rank).gone = when;
}

void SimulatedNetwork::note(std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) {
    trace_hash_ = (trace_hash_ ^ (value >> shift & 0xff)) * 0x100000001b3U;
  }
}

}  // namespace lbsp::transport
