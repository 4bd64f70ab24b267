#include "transport/mixed/mixed_exchange.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "transport/error.hpp"
#include "transport/exchange_copies.hpp"
#include "transport/process/address.hpp"
#include "transport/rate/host_downlink.hpp"
#include "transport/shared_memory/receive.hpp"

namespace lbsp::transport {
namespace {

using shared_memory::first_leg_slot;
using shared_memory::LinksConfig;

LinksConfig watching(LinksConfig near, UdpExchange& udp) {
  near.look = [&udp] { udp.legs().throw_if_failed(); };
  return near;
}

static_assert(host_room_bytes <= shared_memory::common_bytes);

/// Where the ranks that share memory are just those of the host, they share its uplink, too. Where a network is
/// pretended, each has one of its own.
UdpJob sharing_uplink(UdpJob job, const shared_memory::Ground& ground) {
  const auto hosts = hosts_of_ranks(job);
  if (hosts.empty()) return job;
  const auto host = hosts[static_cast<std::size_t>(job.rank)];
  if (std::ranges::count(hosts, host) == ground.board.seats())
    job.uplink_room = {ground.owner, ground.board.common()};
  return job;
}

}  // namespace

MixedExchange::MixedExchange(shared_memory::Ground ground, LinksConfig near, UdpPort port, const UdpJob& job)
    : udp_(std::move(port), sharing_uplink(job, ground)),
      first_near_(near.first_rank),
      ceiling_(job.rank, static_cast<Rank>(job.addresses.size()), job.options.max_message_bytes),
      links_(std::move(ground), watching(std::move(near), udp_)),
      far_rooms_(size()),
      far_inbox_(static_cast<std::size_t>(size())),
      arrived_(static_cast<std::size_t>(size())) {
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
    links_.end().end(error.what(), std::nullopt);
    throw;
  } catch (const PeerLost& error) {
    links_.end().end(error.what(), error.rank());
    throw;
  }
}

std::vector<Bytes> MixedExchange::exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size());
  return exchange_copies(*this, rank(), outgoing, false);
}

std::vector<Bytes> MixedExchange::last_exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size());
  return exchange_copies(*this, rank(), outgoing, true);
}

std::span<std::byte> MixedExchange::room(Rank to, std::size_t bytes, std::size_t used) {
  ceiling_.check(to, bytes, superstep_);
  if (!is_near(to)) return far_rooms_.room(to, bytes, used);
  return links_.outbox().room(to - first_near_, first_leg_slot(superstep_), bytes, used);
}

void MixedExchange::copy(Rank to, std::byte* place, std::span<const std::byte> bytes) {
  if (is_near(to)) return links_.outbox().copy(to - first_near_, place, bytes);
  Lending::copy(to, place, bytes);
}

std::span<const std::span<const std::byte>> MixedExchange::exchange(std::span<const std::size_t> lengths,
                                                                    bool last, const Deed& meanwhile) {
  links_.end().throw_if_ended();
  meanwhile();  // what is sent over UDP counts at once
  const std::uint64_t sequence = superstep_ + 1;
  telling_neighbours([&] {
    begin(lengths, last);
    receive_near(sequence);
    receive_far();
  });
  return arrived_;
}

std::span<const std::span<const std::byte>> MixedExchange::exchange_alike(Alike message,
                                                                          const Deed& meanwhile) {
  for (Rank to = 0; to < size(); ++to)
    if (to != rank()) std::ranges::copy(message, room(to, message.size(), 0).begin());
  const std::vector<std::size_t> lengths(static_cast<std::size_t>(size()), message.size());
  return exchange(lengths, false, meanwhile);
}

void MixedExchange::begin(std::span<const std::size_t> lengths, bool last) {
  std::vector<Bytes> outgoing(lengths.size());
  for (const Rank to : far_)
    outgoing[static_cast<std::size_t>(to)] = far_rooms_.take(to, lengths[static_cast<std::size_t>(to)]);
  if (last) {
    udp_.legs().begin_last_exchange(std::move(outgoing));
  } else {
    udp_.legs().begin_exchange_with(far_, std::move(outgoing));
  }
  for (const Rank seat : near_) {
    const std::size_t bytes = lengths[index_of(seat)];
    ceiling_.check(first_near_ + seat, bytes, superstep_);
    links_.outbox().send(seat, first_leg_slot(superstep_), superstep_ + 1, bytes);
    near_sent_ += bytes;
  }
  ceiling_.forget_offers();
}

void MixedExchange::receive_near(std::uint64_t sequence) {
  const shared_memory::Slot slot = first_leg_slot(superstep_);
  near_received_ +=
      receive(links_.inbox(), {.slot = slot, .sequence = sequence, .sources = near_, .superstep = superstep_},
              [this](Rank seat, auto message) { arrived_[index_of(seat)] = message; });
  if (superstep_ == 0) links_.fetches().try_reach(near_);
  ++superstep_;
  for (const Rank seat : near_)
    links_.outbox().make_ready(seat, first_leg_slot(superstep_));
}

void MixedExchange::receive_far() {
  auto incoming = udp_.legs().complete([this] { links_.end().throw_if_lost(near_, superstep_ - 1); });
  for (const Rank from : far_) {
    const auto place = static_cast<std::size_t>(from);
    far_rooms_.give(from, std::exchange(far_inbox_[place], std::move(incoming[place])));
    arrived_[place] = far_inbox_[place];
  }
}

std::size_t MixedExchange::least_offer(Rank to) const {
  return is_near(to) ? links_.fetches().least_offer(to - first_near_)
                     : std::numeric_limits<std::size_t>::max();
}

std::uint64_t MixedExchange::offer(Rank to, std::span<const std::byte> memory) {
  ceiling_.offer(to, memory.size(), superstep_);
  near_sent_ += memory.size();
  return address_of(memory.data());
}

void MixedExchange::fetch(Rank from, std::uint64_t address, std::span<std::byte> into) {
  if (!is_near(from)) {
    throw Error(
        fmt::format("rank {}, which is on another host, offers memory to rank {}: run the same build of the "
                    "program on every rank",
                    from, rank()));
  }
  telling_neighbours([&] { links_.fetches().fetch(from - first_near_, address, into, superstep_ - 1); });
  near_received_ += into.size();
}

void MixedExchange::settle(Leg leg, std::span<const Rank> owners, std::span<const Rank> readers) {
  const auto seats = [this](std::span<const Rank> ranks) {
    std::vector<Rank> found(ranks.begin(), ranks.end());
    for (Rank& rank : found)
      rank -= first_near_;
    return found;
  };
  telling_neighbours(
      [&] { links_.fetches().settle(leg == Leg::first, superstep_, seats(owners), seats(readers)); });
}

std::vector<Bytes> MixedExchange::reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                                        const std::vector<Rank>& sources) {
  check_outgoing(outgoing, size());
  check_ranks(destinations, rank(), size());
  check_ranks(sources, rank(), size());
  links_.end().throw_if_ended();
  shared_memory::Replies replies{.outgoing = std::vector<Bytes>(static_cast<std::size_t>(links_.seats())),
                                 .destinations = {},
                                 .sources = {}};
  std::vector<Rank> far_destinations;
  std::vector<Rank> far_sources;
  for (const Rank to : destinations) {
    if (!is_near(to)) {
      far_destinations.push_back(to);
      continue;
    }
    ceiling_.check(to, outgoing[static_cast<std::size_t>(to)].size(), superstep_);
    replies.destinations.push_back(to - first_near_);
    replies.outgoing[static_cast<std::size_t>(to - first_near_)] =
        std::exchange(outgoing[static_cast<std::size_t>(to)], {});
  }
  for (const Rank from : sources) {
    if (is_near(from)) {
      replies.sources.push_back(from - first_near_);
    } else {
      far_sources.push_back(from);
    }
  }
  ceiling_.forget_offers();
  const bool over_udp = !far_destinations.empty() || !far_sources.empty();
  if (over_udp) udp_.legs().begin_reply(std::move(outgoing), far_destinations, far_sources);
  return telling_neighbours([&] {
    shared_memory::Replied near = exchange_replies(links_, replies, superstep_);
    near_sent_ += near.sent;
    near_received_ += near.received;
    auto all = over_udp ? udp_.legs().complete([this] { links_.end().throw_if_lost(near_, superstep_ - 1); })
                        : std::vector<Bytes>(static_cast<std::size_t>(size()));
    for (const Rank seat : replies.sources)
      all[index_of(seat)] = std::move(near.incoming[static_cast<std::size_t>(seat)]);
    return all;
  });
}

void MixedExchange::finish() {
  links_.end().finish();
  udp_.finish();
}

void MixedExchange::abort(std::string_view reason) noexcept {
  links_.end().abort(reason);
  udp_.abort(reason);
}

TrafficCounters MixedExchange::counters() const {
  TrafficCounters counters = udp_.counters();
  counters.payload_bytes_sent += near_sent_;
  counters.near_bytes_sent += near_sent_;
  counters.payload_bytes_received += near_received_;
  return counters;
}

}  // namespace lbsp::transport
