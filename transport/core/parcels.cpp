#include "transport/core/parcels.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "transport/core/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// So often a driver is woken for segments at most; those that are due until the next time go together.
constexpr Duration least_pause = 1ms;
/// At the end of their time only what was lost goes: it is known one round trip later, and told half a one after.
constexpr int round_trips_of_repairs = 2;
/// Of their time, what is left for first transmissions if round trips are long.
constexpr int least_part = 3;
/// A superstep's share in the mean of how long they take.
constexpr int share_of_newest = 8;
/// Of a report that is one small datagram.
constexpr std::size_t most_bitmap_bytes =
    small_datagram_bytes - clear_header_bytes - parcel_report_header_bytes - tag_bytes;
constexpr std::size_t parcel_overhead_bytes = clear_header_bytes + parcel_header_bytes + tag_bytes;

Duration report_delay(const Peer& from) {
  return std::max(from.path.times.round_trip() / 2, least_pause);
}

}  // namespace

Instant Parcels::Pace::next() const {
  if (sent >= segments) return began;
  const double part = static_cast<double>(sent) / static_cast<double>(segments);
  const auto after = std::chrono::duration_cast<Duration>(part * window);
  return began + after - after % least_pause;
}

Duration Parcels::longest_round_trip() const {
  Duration longest{0};
  for (const OutgoingParcel& parcel : outgoing_)
    longest = std::max(longest, state_.peers[parcel.to()].path.times.round_trip());
  return longest;
}

/// The longest datagrams that the path carries: fewer of them are less work, and no message waits for one that is lost.
std::size_t Parcels::segment_bytes(const Peer& to) {
  return to.path.sizes.in_use() - parcel_overhead_bytes;
}

void Parcels::post(std::uint64_t id, std::vector<Bytes> parcels, std::uint64_t supersteps, Instant now) {
  outgoing_.clear();
  turn_ = 0;
  pace_ = {.began = now};
  posted_ = id;
  for (Rank step = 1; step < state_.config.size; ++step) {
    const Rank to = (state_.config.rank + step) % state_.config.size;
    Bytes& parcel = parcels[static_cast<std::size_t>(to)];
    if (parcel.empty()) continue;
    const std::size_t each = segment_bytes(state_.peers[to]);
    outgoing_.emplace_back(to, std::move(parcel), each);
    pace_.segments += outgoing_.back().segment_count();
  }
  const Duration whole =
      superstep_ * static_cast<std::int64_t>(std::min<std::uint64_t>(supersteps, UINT16_MAX));
  pace_.window = std::max(whole / least_part, whole - round_trips_of_repairs * longest_round_trip());
}

std::optional<std::vector<Background::Part>> Parcels::recall(std::uint64_t id) {
  if (posted_ != id) return std::nullopt;
  std::vector<Background::Part> parts;
  for (const OutgoingParcel& parcel : outgoing_)
    std::ranges::move(parcel.missing(), std::back_inserter(parts));
  stop();
  return parts;
}

std::vector<Background::Parcel> Parcels::take(std::uint64_t id) {
  std::vector<Background::Parcel> parcels;
  for (auto& [from, parcel] : incoming_)
    if (parcel.id() == id) parcels.push_back({from, parcel.take_bytes()});
  std::erase_if(incoming_, [&](const auto& entry) { return entry.second.id() <= id; });
  taken_ = id;
  return parcels;
}

void Parcels::superstep_begun(Instant now) {
  if (superstep_at_ != never) {
    const Duration last = now - superstep_at_;
    superstep_ = superstep_ == Duration{0} ? last : superstep_ + (last - superstep_) / share_of_newest;
  }
  superstep_at_ = now;
}

void Parcels::stop() {
  posted_ = 0;
  outgoing_.clear();
}

/// A newer parcel than the one that is there comes from a peer that has had all of that one from here, so that all of
/// this rank's own has been taken. What is too large for this rank's memory comes in a message.
bool Parcels::take_segment(Peer& from, const ParcelHeader& header, std::span<const std::byte> segment,
                           Instant now) {
  if (header.total_bytes > state_.config.options.max_message_bytes) return false;
  if (header.id <= taken_) return true;
  auto [place, is_new] = incoming_.try_emplace(from.rank);
  IncomingParcel& parcel = place->second;
  if (!is_new && parcel.id() > header.id) return true;
  try {
    if (is_new || parcel.id() < header.id) parcel = IncomingParcel(header);
  } catch (const std::bad_alloc&) {
    incoming_.erase(place);
    return true;
  }
  return parcel.accept(header, segment, report_delay(from), now);
}

bool Parcels::take_report(Peer& from, const ParcelReport& report) {
  if (report.id != posted_) return true;
  const auto found =
      std::ranges::find_if(outgoing_, [&](const OutgoingParcel& parcel) { return parcel.to() == from.rank; });
  return found != outgoing_.end() && found->take(report);
}

bool Parcels::may_send(Peer& to, Instant now) {
  if (to.parting.finished || in_flight_.full(to) || !to.path.rate.may_send(now)) return false;
  return !to.near || state_.near_pacer.may_send(now);
}

bool Parcels::has_more() const {
  return std::ranges::any_of(outgoing_, [](const OutgoingParcel& parcel) { return parcel.has_next(); });
}

std::optional<Transmit> Parcels::next(std::span<std::byte> buffer, Instant now) {
  if (incoming_.empty() && outgoing_.empty()) return std::nullopt;
  if (const auto report = next_report(buffer, now)) return report;
  return next_segment(buffer, now);
}

std::optional<Transmit> Parcels::next_report(std::span<std::byte> buffer, Instant now) {
  for (auto& [rank, parcel] : incoming_) {
    Peer& to = state_.peers[rank];
    if (parcel.report_at() > now) continue;
    std::array<std::byte, most_bitmap_bytes> bitmap;
    ParcelReport report = parcel.report(bitmap);
    report.echo = to.inbound.echo(now);
    parcel.reported(report_delay(to), now);
    return writer_.write(to, DatagramKind::parcel, buffer, now, [&](WireWriter& out) { write(out, report); });
  }
  return std::nullopt;
}

std::optional<Transmit> Parcels::next_segment(std::span<std::byte> buffer, Instant now) {
  if (now < std::max(pace_.next(), blocked_until_) || !has_more()) return std::nullopt;
  for (std::size_t tried = 0; tried < outgoing_.size(); ++tried) {
    OutgoingParcel& parcel = outgoing_[std::exchange(turn_, (turn_ + 1) % outgoing_.size())];
    Peer& to = state_.peers[parcel.to()];
    // Where the path has become narrower, the rest is for the message.
    const bool fits = parcel.segment_bytes() + parcel_overhead_bytes <= to.path.sizes.in_use();
    if (!fits || !may_send(to, now)) continue;
    if (const auto segment = parcel.next()) return write_segment(to, parcel, *segment, buffer, now);
  }
  blocked_until_ = now + least_pause;
  return std::nullopt;
}

Transmit Parcels::write_segment(Peer& to, OutgoingParcel& parcel, std::uint32_t segment,
                                std::span<std::byte> buffer, Instant now) {
  parcel.sent(segment);
  ++pace_.sent;
  const ParcelHeader header{to.inbound.echo(now), posted_, parcel.total_bytes(), segment,
                            static_cast<std::uint16_t>(parcel.segment_bytes())};
  return writer_.write(to, DatagramKind::parcel, buffer, now, [&](WireWriter& out) {
    write(out, header);
    out.put(parcel.payload(segment));
  });
}

Instant Parcels::next_release() const {
  Instant next = never;
  for (const auto& [rank, parcel] : incoming_)
    next = std::min(next, parcel.report_at());
  if (has_more()) next = std::min(next, std::max(pace_.next(), blocked_until_));
  return next;
}

}  // namespace lbsp::transport
