#include "transport/simulated/network.hpp"

#include <fmt/format.h>
#include <stdexcept>

#include "transport/error.hpp"

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

std::uint64_t nanoseconds(Instant time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

/// What the ranks are told of it: nothing, if there is one host only, or each has its own.
std::vector<std::uint16_t> hosts_of_ranks(const Topology& topology) {
  std::vector<std::uint16_t> hosts;
  if (topology.hosts.size() < 2) return hosts;
  for (std::size_t host = 0; host < topology.hosts.size(); ++host)
    hosts.insert(hosts.end(), static_cast<std::size_t>(topology.hosts[host].ranks),
                 static_cast<std::uint16_t>(host));
  return hosts;
}

}  // namespace

SimulatedNetwork::SimulatedNetwork(const SimulationConfig& config)
    : pool_(config.options.datagram_bytes),
      faults_(config.faults),
      topology_(config.topology),
      beginning_(config.beginning),
      now_(beginning_) {
  const auto key = simulated_key(config.seed);
  nodes_.reserve(static_cast<std::size_t>(config.size));
  for (Rank rank = 0; rank < config.size; ++rank) {
    EndpointConfig endpoint{rank, config.size, config.options, key, config.cipher, {}};
    if (config.planner) endpoint.planner = config.planner(rank);
    endpoint.priors = config.priors;
    endpoint.hosts = hosts_of_ranks(config.topology);
    endpoint.buffer_datagrams = config.faults.socket_datagrams;
    nodes_.push_back(std::make_unique<Node>(endpoint, config, now_));
  }
  place(config);
  for (Rank rank = 0; rank < config.size; ++rank)
    pump(rank);
}

void SimulatedNetwork::place(const SimulationConfig& config) {
  auto& hosts = topology_.hosts;
  if (hosts.empty()) hosts.resize(static_cast<std::size_t>(config.size));
  Rank placed = 0;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    for (Rank i = 0; i < hosts[host].ranks && placed < config.size; ++i)
      node(placed++).host = host;
  }
  if (placed < config.size) {
    throw UsageError(fmt::format("the hosts of the topology have {} ranks of {}: name a place for each",
                                 placed, config.size));
  }
}

Instant SimulatedNetwork::next_event() const {
  return std::min(
      {line_.next(), before_downlink_.next(), deadlines_.empty() ? never : deadlines_.top().time});
}

std::optional<Rank> SimulatedNetwork::step() {
  const auto time = next_event();
  if (time == never) return std::nullopt;
  advance_to(time);
  if (before_downlink_.next() <= time) return enter_downlink();
  return line_.next() <= time ? deliver() : reach_deadline();
}

void SimulatedNetwork::advance_to(Instant time) {
  // An endpoint that asks for the present again and again would stop time: a fault to be shown, not a hang.
  constexpr std::uint64_t most_steps_at_once = 10'000'000;
  idle_steps_ = time > now_ ? 0 : idle_steps_ + 1;
  if (idle_steps_ > most_steps_at_once) {
    throw std::logic_error(fmt::format("virtual time stands still at {} ns", nanoseconds(now_)));
  }
  now_ = std::max(now_, time);
}

Rank SimulatedNetwork::enter_downlink() {
  const auto entering = before_downlink_.take();
  const auto departure = host_of(entering.to).downlink->send(now_, entering.bytes);
  Passages passages;
  if (departure) passages.add({*departure});
  line_.send(passages, entering.from, entering.to, entering.slot, entering.bytes);
  return entering.to;
}

Rank SimulatedNetwork::deliver() {
  const auto arrival = line_.take();
  Node& to = node(arrival.to);
  if (!present(to)) {
    pool_.release(arrival.slot);
  } else if (frozen(arrival.to)) {
    if (to.waiting.size() < faults_.socket_datagrams) {
      to.waiting.push_back(arrival);
    } else {
      pool_.release(arrival.slot);
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
  note(nanoseconds(now_));
  note((static_cast<std::uint64_t>(arrival.from) << 32) | static_cast<std::uint32_t>(arrival.to));
  note(arrival.bytes);
  node(arrival.to).endpoint.handle_datagram(pool_.bytes(arrival.slot).first(arrival.bytes), now_);
  pool_.release(arrival.slot);
}

/// If the rank is frozen, its next deadline is when it goes on.
bool SimulatedNetwork::frozen(Rank rank) {
  const auto until = faults_.frozen_until(rank, elapsed());
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
  for (;;) {
    const auto slot = pool_.acquire();
    const auto transmit = from.endpoint.poll_transmit(pool_.bytes(slot), now_);
    if (!transmit) {
      pool_.release(slot);
      break;
    }
    put_on_the_way(rank, *transmit, slot);
  }
  const auto deadline = from.endpoint.next_timeout();
  if (deadline < from.armed) {
    from.armed = deadline;
    deadlines_.push({deadline, sequence_++, rank});
  }
  const bool complete = from.endpoint.exchange_complete();
  if (complete && !from.complete) {
    note(nanoseconds(now_));
    note(static_cast<std::uint64_t>(rank));
  }
  from.complete = complete;
}

void SimulatedNetwork::put_on_the_way(Rank from, const Transmit& transmit, DatagramPool::Slot slot) {
  const auto* narrowing = faults_.narrowing(from, transmit.to, elapsed(), transmit.bytes);
  if (narrowing == nullptr && !faults_.cut(from, transmit.to, elapsed())) {
    cross(from, transmit, slot);
    return;
  }
  pool_.release(slot);
  if (narrowing != nullptr && narrowing->told)
    node(from).endpoint.limit_datagrams(transmit.to, narrowing->bytes, now_);
}

void SimulatedNetwork::cross(Rank from, const Transmit& transmit, DatagramPool::Slot slot) {
  Passages passages;
  if (node(from).host == node(transmit.to).host) {
    passages.add({now_ + topology_.local_delay});
    return line_.send(passages, from, transmit.to, slot, transmit.bytes);
  }
  const auto& uplink = host_of(from).uplink;
  const auto departure = uplink ? uplink->send(now_, transmit.bytes) : now_;
  if (departure) passages = node(from).link.send(*departure, transmit.to, transmit.bytes);
  DelayLine& line = host_of(transmit.to).downlink ? before_downlink_ : line_;
  line.send(passages, from, transmit.to, slot, transmit.bytes);
}

void SimulatedNetwork::remove(Rank rank, Instant when) {
  node(rank).gone = when;
}

ImpairmentCounters SimulatedNetwork::impairment() const {
  ImpairmentCounters sum;
  for (const auto& each : nodes_)
    sum += each->link.counters();
  return sum;
}

void SimulatedNetwork::note(std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) {
    trace_hash_ = (trace_hash_ ^ (value >> shift & 0xff)) * 0x100000001b3U;
  }
}

}  // namespace lbsp::transport
