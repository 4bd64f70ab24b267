#include "tools/wan/router/router_core.hpp"

#include "tools/wan/packets/icmp.hpp"
#include "tools/wan/packets/ip_packet.hpp"

namespace lbsp::wan::router {

using network::PairSpecs;
using packets::Refusal;

using transport::Ecn;
using transport::Instant;
using transport::Passages;
using transport::Uplink;

namespace {

/// A destination whose rate is below the uplink's has a bottleneck of its own behind it.
std::optional<Uplink> bottleneck_of(const transport::WanSpec& spec, const transport::WanSpec& shared) {
  const bool narrower = spec.rate && (!shared.rate || spec.rate->value < shared.rate->value);
  return narrower ? std::optional(Uplink(spec)) : std::nullopt;
}

void change_link(std::optional<Uplink>& link, const std::optional<Uplink>& to, Instant now) {
  if (link && to)
    link->become(*to, now);
  else
    link = to;
}

}  // namespace

RouterCore::RouterCore(const PairSpecs& specs, std::uint64_t seed, bool tells, CounterFile& counters,
                       std::size_t most_held)
    : hosts_(specs.hosts()),
      tells_(tells),
      counters_(counters),
      most_held_(most_held),
      pool_(specs.device_mtu()),
      incoming_(pool_.acquire()) {
  for (int from = 0; from < hosts_; ++from) {
    const auto shared = specs.uplink(from);
    uplinks_.emplace_back(shared);
    downlinks_.push_back(specs.downlink(from));
    for (int to = 0; to < hosts_; ++to) {
      const auto& spec = specs.at(from, to);
      pairs_.push_back(
          {spec, transport::Path(transport::path_seed(seed, from, to)), bottleneck_of(spec, shared)});
    }
  }
}

void RouterCore::change(const PairSpecs& specs, Instant now) {
  for (int from = 0; from < hosts_; ++from) {
    const auto shared = specs.uplink(from);
    uplinks_[static_cast<std::size_t>(from)].become(Uplink(shared), now);
    change_link(downlinks_[static_cast<std::size_t>(from)], specs.downlink(from), now);
    for (int to = 0; to < hosts_; ++to) {
      Pair& changed = pair(from, to);
      changed.spec = specs.at(from, to);
      change_link(changed.bottleneck, bottleneck_of(changed.spec, shared), now);
    }
  }
  counters_.router().changes.add(1);
}

std::optional<int> RouterCore::host_at(std::uint32_t address) const {
  const std::uint32_t index = address - packets::host_address(0);
  if (index >= static_cast<std::uint32_t>(hosts_)) return std::nullopt;
  return static_cast<int>(index);
}

RouterCore::Pair& RouterCore::pair(int from, int to) {
  return pairs_[static_cast<std::size_t>(from) * static_cast<std::size_t>(hosts_) +
                static_cast<std::size_t>(to)];
}

std::optional<Instant> RouterCore::depart(Instant now, int from, int to, std::size_t bytes, Ecn& ecn) {
  Pair& pair = this->pair(from, to);
  const auto departure = uplinks_[static_cast<std::size_t>(from)].send(now, bytes, ecn);
  return departure && pair.bottleneck ? pair.bottleneck->send(*departure, bytes, ecn) : departure;
}

void RouterCore::take(Instant now, int from, std::size_t bytes) {
  const auto packet = buffer().first(bytes);
  const auto facts = packets::read_packet(packet);
  const auto to = facts ? host_at(facts->destination) : std::nullopt;
  if (!to || *to == from) {
    counters_.router().unroutable.add(1);
    return;
  }
  PairCounters& counts = counters_.pair(from, *to);
  counts.offered.add(1);
  counts.offered_bytes.add(packets::payload_bytes(bytes));
  if (held() >= most_held_) {
    counts.discarded.add(1);
    return;
  }
  Ecn ecn = facts->ecn;
  const auto departure = depart(now, from, *to, packets::payload_bytes(bytes), ecn);
  if (!departure) {
    counts.queue_drops.add(1);
    return;
  }
  Pair& pair = this->pair(from, *to);
  if (pair.spec.mtu_bytes && bytes > *pair.spec.mtu_bytes) {
    counts.too_long.add(1);
    if (tells_ && !facts->error_message) refuse(*departure, from, packet, *pair.spec.mtu_bytes);
    return;
  }
  if (ecn != facts->ecn) {
    counts.marked.add(1);
    packets::mark_congestion(packet);
  }
  transport::ImpairmentCounters outcome;
  const auto passages = pair.path.send(pair.spec, *departure, outcome);
  counts.add(outcome);
  if (passages.size() == 0) return;
  if (outcome.corrupted != 0) packets::waive_checksum(packet, *facts);
  auto& line = downlinks_[static_cast<std::size_t>(*to)] ? before_downlink_ : line_;
  line.send(passages, {from, *to, incoming_, bytes, ecn}, facts->header_bytes);
  incoming_ = pool_.acquire();
  note_held();
}

void RouterCore::refuse(Instant now, int to, std::span<const std::byte> packet, std::size_t mtu_bytes) {
  const Refusal refusal = packets::fragmentation_needed(packet, mtu_bytes);
  const auto slot = pool_.acquire();
  std::ranges::copy(std::span(refusal.packet).first(refusal.bytes), pool_.bytes(slot).begin());
  Passages at_once;
  at_once.add({now});
  line_.send(at_once, {router_itself, to, slot, refusal.bytes});
  note_held();
}

void RouterCore::note_held() {
  counters_.router().held.set(held());
  counters_.router().most_held.raise_to(held());
}

/// Lets all that has come to a downlink by now into its queue.
void RouterCore::pass_downlinks(Instant now) {
  while (before_downlink_.next() <= now) {
    const auto arrival = before_downlink_.take();
    auto& downlink = downlinks_[static_cast<std::size_t>(arrival.to)];
    Ecn ecn = arrival.ecn;
    const auto departure = downlink ? downlink->send(arrival.time, packets::payload_bytes(arrival.bytes), ecn)
                                    : std::optional(arrival.time);
    Passages passages;
    if (departure) {
      passages.add({*departure});
      if (ecn != arrival.ecn) {
        counters_.pair(arrival.from, arrival.to).marked.add(1);
        packets::mark_congestion(pool_.bytes(arrival.slot).first(arrival.bytes));
      }
    } else {
      counters_.pair(arrival.from, arrival.to).downlink_drops.add(1);
    }
    line_.send(passages, {arrival.from, arrival.to, arrival.slot, arrival.bytes});
  }
}

std::optional<RouterCore::Delivery> RouterCore::pop_due(Instant now) {
  pass_downlinks(now);
  if (line_.next() > now) return std::nullopt;
  const auto arrival = line_.take();
  counters_.router().held.set(held());
  return Delivery{arrival.from, arrival.to, arrival.time, pool_.bytes(arrival.slot).first(arrival.bytes),
                  arrival.slot};
}

void RouterCore::done(const Delivery& delivery, Instant now, bool delivered) {
  pool_.release(delivery.slot);
  if (delivery.from == router_itself) return;
  PairCounters& counts = counters_.pair(delivery.from, delivery.to);
  if (delivered) {
    counts.delivered.add(1);
    counts.delivered_bytes.add(packets::payload_bytes(delivery.packet.size()));
    const auto lateness = now - delivery.due;
    counts.lateness.add(static_cast<std::uint64_t>(lateness.count()));
    counts.longest_lateness.raise_to(static_cast<std::uint64_t>(lateness.count()));
    if (lateness > late_after) counts.late.add(1);
  } else {
    counts.refused.add(1);
  }
}

}  // namespace lbsp::wan::router
