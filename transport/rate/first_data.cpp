#include "transport/rate/first_data.hpp"

#include <algorithm>
#include <chrono>
#include <span>

namespace lbsp::transport {
namespace {

/// Of the steps from echo to echo, the last that bring so much tell; smaller ones are no data.
constexpr double bytes_that_tell = 20 << 10;
constexpr double least_bytes_that_tell = 12 << 10;
constexpr double least_step_bytes = 600;
/// At least so many, and so great a part of the bytes, are alike, by this factor, …
constexpr std::size_t least_alike = 4;
constexpr double part_alike = 0.7;
constexpr double alike_by = 1.4;
/// … take so much longer to arrive than to be sent, and show so much less than the rate.
constexpr double longer_than_sent = 2;
constexpr double slower_than_rate = 1.5;
/// Of what waits for echoes, which may come late themselves.
constexpr double slower_than_rate_if_held = 3;
/// Where round trips are short: as much as goes until an echo can come, which a receiver may put off, …
constexpr Duration echo_put_off = std::chrono::microseconds{1500};
constexpr Duration short_round_trip = std::chrono::milliseconds{5};
/// … but no less than a few datagrams.
constexpr double least_on_way = 16 << 10;
/// A flight tells when so much of it has been echoed: its last datagrams may be lost …
constexpr std::uint64_t eighths_of_flight = 7;
/// … if so much of it has arrived, and no more slowly than this at its end, …
constexpr double part_of_flight = 0.7;
constexpr double late = 1.5;
/// … or if so many have told nothing.
constexpr int most_flights = 3;

}  // namespace

void FirstData::begin(Rank peers, Rank sharers, const Sent& sent, std::uint64_t echoed) {
  const auto to = static_cast<std::uint64_t>(peers);
  phase_ = Phase::looks;
  wanted_ = std::min(peers, most_wanted);
  most_ = std::min(bytes_to_one * to, most_bytes) / static_cast<std::uint64_t>(sharers);
  echoed_ = echoed;
  round_trip_ = Duration{0};
  held_since_ = never;
  widen(sent);
  begin_flight();
}

void FirstData::widen(const Sent& sent) {
  round_trip_ = std::max(round_trip_, sent.round_trip);
  const double until_echo = sent.rate.value * seconds(round_trip_ + echo_put_off);
  const bool soon = round_trip_ < short_round_trip;
  window_ = soon ? std::min(static_cast<std::uint64_t>(std::max(until_echo, least_on_way)), most_) : most_;
}

void FirstData::begin_flight() {
  flight_end_ = echoed_ + most_ / 8 * eighths_of_flight;
  flight_ = {};
}

std::optional<BytesPerSecond> FirstData::echoed(Rank peer, const BurstMeter::Seen& seen, std::uint64_t to_all,
                                                const Sent& sent, Instant now) {
  if (over()) return std::nullopt;
  if (!full(sent.bytes, sent.leg_bytes)) {
    held_since_ = never;
  } else if (held_since_ == never) {
    held_since_ = now;
  }
  widen(sent);
  if (phase_ == Phase::awaits_longer && !looks_again(to_all, sent)) return std::nullopt;
  const auto place = static_cast<std::size_t>(peer);
  if (place >= paths_.size()) paths_.resize(place + 1);
  Path& path = paths_[place];
  note(path, seen, sent.rate);
  if (sent.leg_bytes > std::min(bytes_to_one, window_) && !path.slower && is_slower(path, sent.rate)) {
    path.slower = true;
    ++slower_;
  }
  echoed_ = std::max(echoed_, to_all);
  flight_.add(seen.step);
  if (slower_ >= (sent.to_one ? 1 : wanted_)) {
    phase_ = Phase::over;
    return carried_;
  }
  if (echoed_ < flight_end_) return std::nullopt;
  if ((flight_.arrived > part_of_flight * flight_.sent && !is_late(path)) || ++flights_ >= most_flights)
    phase_ = sent.leg_bytes > most_ ? Phase::over : Phase::awaits_longer;
  begin_flight();
  return std::nullopt;
}

/// Whether the first leg has begun that is longer than what has told nothing.
bool FirstData::looks_again(std::uint64_t to_all, const Sent& sent) {
  echoed_ = std::max(echoed_, to_all);
  if (sent.leg_bytes <= most_) return false;
  phase_ = Phase::looks;
  paths_.clear();
  slower_ = 0;
  flights_ = 0;
  begin_flight();
  return true;
}

/// What goes after a pause meets an empty queue again, and a bucket that is full. To wait for echoes is no pause: it
/// takes as long as datagrams take to arrive.
void FirstData::note(Path& path, const BurstMeter::Seen& seen, BytesPerSecond rate) const {
  Burst step = seen.of_all().step;
  const bool held =
      echoes_soon() && held_since_ != never && seconds(held_since_ - step.begun) <= step.sending;
  if (held) step.sending = std::min(step.sending, step.to_all / rate.value);
  if (seen.paused && !held) path.count = 0;
  if ((held || !seen.paused) && step.arrived >= least_step_bytes)
    path.steps[path.count++ % remembered] = step;
}

/// The newest steps that tell; none if they are too few.
FirstData::Steps FirstData::last_steps(const Path& path) {
  Steps last;
  const std::size_t known = std::min(path.count, remembered);
  while (last.count < known && (last.sum.arrived < bytes_that_tell || last.count < least_alike)) {
    const Burst& step = path.steps[(path.count - 1 - last.count) % remembered];
    last.steps[last.count++] = step;
    last.sum.add(step);
  }
  return last.sum.arrived < least_bytes_that_tell ? Steps{} : last;
}

bool FirstData::is_late(const Path& path) {
  const Burst last = last_steps(path).sum;
  return last.arriving > late * last.sending;
}

bool FirstData::is_slower(const Path& path, BytesPerSecond rate) {
  const Steps last = last_steps(path);
  if (last.count < least_alike) return false;
  const auto [alike, count] = alike_steps(std::span(last.steps).first(last.count), alike_by);
  const BytesPerSecond carried{alike.arrived / alike.arriving};
  const double least_difference =
      echoes_soon() && held_since_ != never ? slower_than_rate_if_held : slower_than_rate;
  const bool slower = count >= least_alike && alike.arrived >= part_alike * last.sum.arrived &&
                      alike.arriving > longer_than_sent * alike.sending &&
                      least_difference * carried.value < rate.value;
  if (slower) carried_ = std::max(carried_, carried);
  return slower;
}

}  // namespace lbsp::transport
