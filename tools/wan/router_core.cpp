#include "tools/wan/router_core.hpp"

#include "tools/wan/ip_packet.hpp"

namespace lbsp::wan {

using transport::Instant;
using transport::Passages;
using transport::Uplink;

RouterCore::RouterCore(const PairSpecs& specs, std::uint64_t seed, CounterFile& counters,
                       std::size_t most_held)
    : hosts_(specs.hosts()), counters_(counters), most_held_(most_held), incoming_(pool_.acquire()) {
  for (int from = 0; from < hosts_; ++from) {
    const auto shared = specs.uplink(from);
    uplinks_.emplace_back(shared);
    for (int to = 0; to < hosts_; ++to) {
      const auto& spec = specs.at(from, to);
      const bool narrower = spec.rate && (!shared.rate || spec.rate->value < shared.rate->value);
      pairs_.push_back({spec, transport::Path(transport::path_seed(seed, from, to)),
                        narrower ? std::optional(Uplink(spec)) : std::nullopt});
    }
  }
}

std::optional<int> RouterCore::host_at(std::uint32_t address) const {
  const std::uint32_t index = address - host_address(0);
  if (index >= static_cast<std::uint32_t>(hosts_)) return std::nullopt;
  return static_cast<int>(index);
}

Passages RouterCore::send(Instant now, int from, int to, std::size_t payload,
                          transport::ImpairmentCounters& outcome) {
  Pair& pair = pairs_[static_cast<std::size_t>(from) * static_cast<std::size_t>(hosts_) +
                      static_cast<std::size_t>(to)];
  auto departure = uplinks_[static_cast<std::size_t>(from)].send(now, payload);
  if (departure && pair.bottleneck) departure = pair.bottleneck->send(*departure, payload);
  if (departure) return pair.path.send(pair.spec, *departure, outcome);
  ++outcome.queue_drops;
  return {};
}

void RouterCore::take(Instant now, int from, std::size_t bytes) {
  const auto packet = buffer().first(bytes);
  const auto facts = read_packet(packet);
  const auto to = facts ? host_at(facts->destination) : std::nullopt;
  if (!to || *to == from) {
    counters_.router().unroutable.add(1);
    return;
  }
  PairCounters& counts = counters_.pair(from, *to);
  counts.offered.add(1);
  counts.offered_bytes.add(payload_bytes(bytes));
  if (line_.size() >= most_held_) {
    counts.discarded.add(1);
    return;
  }
  transport::ImpairmentCounters outcome;
  const auto passages = send(now, from, *to, payload_bytes(bytes), outcome);
  counts.add(outcome);
  if (passages.size() == 0) return;
  if (outcome.corrupted != 0) waive_checksum(packet, *facts);
  line_.send(passages, from, *to, incoming_, bytes, facts->header_bytes);
  incoming_ = pool_.acquire();
  counters_.router().held.set(line_.size());
  counters_.router().most_held.raise_to(line_.size());
}

std::optional<RouterCore::Delivery> RouterCore::pop_due(Instant now) {
  if (line_.next() > now) return std::nullopt;
  const auto arrival = line_.take();
  counters_.router().held.set(line_.size());
  return Delivery{arrival.from, arrival.to, arrival.time, pool_.bytes(arrival.slot).first(arrival.bytes),
                  arrival.slot};
}

void RouterCore::done(const Delivery& delivery, Instant now, bool delivered) {
  PairCounters& counts = counters_.pair(delivery.from, delivery.to);
  if (delivered) {
    counts.delivered.add(1);
    counts.delivered_bytes.add(payload_bytes(delivery.packet.size()));
    const auto lateness = now - delivery.due;
    counts.lateness.add(static_cast<std::uint64_t>(lateness.count()));
    counts.longest_lateness.raise_to(static_cast<std::uint64_t>(lateness.count()));
    if (lateness > late_after) counts.late.add(1);
  } else {
    counts.refused.add(1);
  }
  pool_.release(delivery.slot);
}

}  // namespace lbsp::wan
