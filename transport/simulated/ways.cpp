#include "transport/simulated/ways.hpp"

#include <fmt/format.h>

#include "transport/error.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::transport {

Ways::Ways(const SimulationConfig& config)
    : pool_(config.options.datagram_bytes),
      faults_(config.faults),
      topology_(config.topology),
      beginning_(config.beginning),
      spell_random_(splitmix(config.seed)) {
  links_.reserve(static_cast<std::size_t>(config.size));
  for (Rank rank = 0; rank < config.size; ++rank)
    links_.emplace_back(config.wan, config.seed, rank, config.size);
  place(config.size);
}

void Ways::place(Rank size) {
  auto& hosts = topology_.hosts;
  if (hosts.empty()) hosts.resize(static_cast<std::size_t>(size));
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    for (Rank i = 0; i < hosts[host].ranks && hosts_.size() < static_cast<std::size_t>(size); ++i)
      hosts_.push_back(static_cast<std::uint16_t>(host));
  }
  if (hosts_.size() < static_cast<std::size_t>(size)) {
    throw UsageError(fmt::format("the hosts of the topology have {} ranks of {}: name a place for each",
                                 hosts_.size(), size));
  }
}

std::optional<std::size_t> Ways::send(const PooledDatagram& datagram, Instant now) {
  const Rank from = datagram.from;
  const Rank to = datagram.to;
  const Duration elapsed = now - beginning_;
  const auto* narrowing = faults_.narrowing(from, to, elapsed, datagram.bytes);
  const bool near = host_index(from) == host_index(to);
  const bool lost = faults_.cut(from, to, elapsed) || (!near && lost_in_spell(now));
  if (narrowing == nullptr && !lost) {
    cross(datagram, now);
    return std::nullopt;
  }
  pool_.release(datagram.slot);
  return narrowing != nullptr && narrowing->told ? std::optional(narrowing->bytes) : std::nullopt;
}

bool Ways::lost_in_spell(Instant now) {
  const double loss = faults_.loss(now - beginning_);
  if (loss == 0) return false;
  spell_random_ = splitmix(spell_random_);
  return static_cast<double>(spell_random_ >> 11) < loss * 0x1p53;
}

void Ways::cross(PooledDatagram datagram, Instant now) {
  const Rank from = datagram.from;
  const Rank to = datagram.to;
  Ecn& ecn = datagram.ecn;
  Passages passages;
  if (host_index(from) == host_index(to)) {
    passages.add({now + topology_.local_delay});
    return line_.send(passages, datagram);
  }
  const auto& uplink = host_of(from).uplink;
  const bool through_links = !one_site(from, to);
  const auto departure = uplink && through_links ? uplink->send(now, datagram.bytes, ecn) : now;
  const Duration longer = faults_.longer(now - beginning_);
  if (departure)
    passages = links_[static_cast<std::size_t>(from)].send(*departure + longer, to, datagram.bytes, ecn);
  ecn = faults_.left_of(ecn);
  DelayLine& line = host_of(to).downlink && through_links ? before_downlink_ : line_;
  line.send(passages, datagram);
}

Rank Ways::enter_downlink(Instant now) {
  const auto entering = before_downlink_.take();
  Ecn ecn = entering.ecn;
  const auto departure = host_of(entering.to).downlink->send(now, entering.bytes, ecn);
  Passages passages;
  if (departure) passages.add({*departure});
  line_.send(passages, {entering.from, entering.to, entering.slot, entering.bytes, ecn});
  return entering.to;
}

ImpairmentCounters Ways::impairment() const {
  ImpairmentCounters sum;
  for (const ImpairedLink& link : links_)
    sum += link.counters();
  return sum;
}

}  // namespace lbsp::transport
