#include "transport/mixed/mixed_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "transport/error.hpp"
#include "transport/exchange_arguments.hpp"

namespace lbsp::transport {
namespace {

using shared_memory::first_leg_slot;
using shared_memory::LinksConfig;
using shared_memory::Slot;

LinksConfig watching(LinksConfig near, const UdpExchange& udp) {
  near.look = [&udp] { udp.throw_if_failed(); };
  return near;
}

}  // namespace

MixedExchange::MixedExchange(shared_memory::Ground ground, LinksConfig near, UdpPort port, const UdpJob& job)
    : udp_(std::move(port), job),
      first_near_(near.first_rank),
      max_message_bytes_(job.options.max_message_bytes),
      links_(std::move(ground), watching(std::move(near), udp_)) {
  for (Rank next = 1; next < size(); ++next) {
    const Rank other = (rank() + next) % size();
    if (is_near(other)) {
      near_.push_back(other - first_near_);
    } else {
      far_.push_back(other);
    }
  }
}

template <class Call>
auto MixedExchange::telling_neighbours(const Call& call) {
  try {
    return call();
  } catch (const Aborted& error) {
    links_.end_job(error.what(), std::nullopt);
    throw;
  } catch (const PeerLost& error) {
    links_.end_job(error.what(), error.rank());
    throw;
  }
}

std::vector<Bytes> MixedExchange::exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size());
  links_.throw_if_job_ended();
  NearLeg leg = first_leg(outgoing);
  udp_.begin_exchange_with(far_, std::move(outgoing));
  return telling_neighbours([&] { return join(carry(std::move(leg)), true); });
}

std::vector<Bytes> MixedExchange::last_exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size());
  links_.throw_if_job_ended();
  NearLeg leg = first_leg(outgoing);
  udp_.begin_last_exchange(std::move(outgoing));
  return telling_neighbours([&] { return join(carry(std::move(leg)), true); });
}

/// Leaves empty messages in the places of those that it takes.
MixedExchange::NearLeg MixedExchange::first_leg(std::vector<Bytes>& outgoing) const {
  NearLeg leg{.slot = first_leg_slot(superstep_),
              .sequence = superstep_ + 1,
              .outgoing = std::vector<Bytes>(static_cast<std::size_t>(links_.seats())),
              .destinations = near_,
              .sources = near_};
  for (const Rank seat : near_) {
    auto& message = outgoing[index_of(seat)];
    leg.outgoing[static_cast<std::size_t>(seat)] = std::exchange(message, {});
  }
  check_sizes(leg);
  return leg;
}

std::vector<Bytes> MixedExchange::reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                                        const std::vector<Rank>& sources) {
  check_outgoing(outgoing, size());
  check_ranks(destinations, rank(), size());
  check_ranks(sources, rank(), size());
  links_.throw_if_job_ended();
  NearLeg leg{.slot = Slot::reply,
              .sequence = superstep_,
              .outgoing = std::vector<Bytes>(static_cast<std::size_t>(links_.seats())),
              .destinations = {},
              .sources = {}};
  std::vector<Rank> far_destinations;
  std::vector<Rank> far_sources;
  for (const Rank to : destinations) {
    if (!is_near(to)) {
      far_destinations.push_back(to);
      continue;
    }
    leg.destinations.push_back(to - first_near_);
    leg.outgoing[static_cast<std::size_t>(to - first_near_)] =
        std::exchange(outgoing[static_cast<std::size_t>(to)], {});
  }
  for (const Rank from : sources) {
    if (is_near(from)) {
      leg.sources.push_back(from - first_near_);
    } else {
      far_sources.push_back(from);
    }
  }
  check_sizes(leg);
  const bool over_udp = !far_destinations.empty() || !far_sources.empty();
  if (over_udp) udp_.begin_reply(std::move(outgoing), far_destinations, far_sources);
  return telling_neighbours([&] { return join(carry(std::move(leg)), over_udp); });
}

void MixedExchange::check_sizes(const NearLeg& leg) const {
  for (const Rank seat : leg.destinations) {
    const std::size_t bytes = leg.outgoing[static_cast<std::size_t>(seat)].size();
    if (bytes > max_message_bytes_)
      refuse_message(rank(), first_near_ + seat, bytes, superstep_, max_message_bytes_);
  }
}

/// Returns the messages by rank.
std::vector<Bytes> MixedExchange::carry(NearLeg leg) {
  for (const Rank to : leg.destinations) {
    const Bytes& message = leg.outgoing[static_cast<std::size_t>(to)];
    const auto room = links_.room(to, leg.slot, message.size(), 0);
    if (!message.empty()) std::memcpy(room.data(), message.data(), message.size());
    links_.send(to, leg.slot, leg.sequence, message.size());
    near_sent_ += message.size();
  }
  const bool is_reply = leg.slot == Slot::reply;
  links_.await({.slot = leg.slot,
                .sequence = leg.sequence,
                .sources = leg.sources,
                .superstep = is_reply ? superstep_ - 1 : superstep_});
  std::vector<Bytes> incoming(static_cast<std::size_t>(size()));
  for (const Rank from : leg.sources) {
    const auto message = links_.message(from, leg.slot);
    incoming[index_of(from)] = Bytes(message.begin(), message.end());
    near_received_ += message.size();
  }
  if (!is_reply) ++superstep_;
  return incoming;
}

/// Adds what comes over UDP.
std::vector<Bytes> MixedExchange::join(std::vector<Bytes> near, bool over_udp) {
  if (!over_udp) return near;
  auto all = udp_.complete([this] { links_.throw_if_lost(near_, superstep_ - 1); });
  for (const Rank seat : near_) {
    const auto rank = index_of(seat);
    all[rank] = std::move(near[rank]);
  }
  return all;
}

void MixedExchange::finish() {
  links_.finish();
  udp_.finish();
}

void MixedExchange::abort(std::string_view reason) noexcept {
  links_.abort(reason);
  udp_.abort(reason);
}

TrafficCounters MixedExchange::counters() const {
  TrafficCounters counters = udp_.counters();
  counters.payload_bytes_sent += near_sent_;
  counters.payload_bytes_received += near_received_;
  return counters;
}

}  // namespace lbsp::transport
