#include "transport/rate/first_data.hpp"

#include <algorithm>
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
/// A flight tells when so much of it has been echoed: its last datagrams may be lost …
constexpr std::uint64_t eighths_of_flight = 7;
/// … if so much of it has arrived, and no more slowly than this at its end, …
constexpr double part_of_flight = 0.7;
constexpr double late = 1.5;
/// … or if so many have told nothing.
constexpr int most_flights = 3;

}  // namespace

void FirstData::begin(Rank peers, Rank sharers, std::uint64_t sent) {
  const auto to = static_cast<std::uint64_t>(peers);
  over_ = false;
  wanted_ = std::min(peers, most_wanted);
  most_ = std::min(bytes_to_one * to, most_bytes) / static_cast<std::uint64_t>(sharers);
  echoed_ = sent;
  begin_flight();
}

void FirstData::begin_flight() {
  flight_end_ = echoed_ + most_ / 8 * eighths_of_flight;
  flight_ = {};
}

std::optional<BytesPerSecond> FirstData::echoed(Rank peer, const BurstMeter::Seen& seen, std::uint64_t to_all,
                                                const Sent& sent) {
  if (over_) return std::nullopt;
  const auto place = static_cast<std::size_t>(peer);
  if (place >= paths_.size()) paths_.resize(place + 1);
  Path& path = paths_[place];
  note(path, seen);
  if (sent.leg_bytes > bytes_to_one && !path.slower && is_slower(path, sent.rate)) {
    path.slower = true;
    ++slower_;
  }
  echoed_ = std::max(echoed_, to_all);
  flight_.add(seen.step);
  if (slower_ >= wanted_) {
    over_ = true;
    return carried_;
  }
  if (echoed_ < flight_end_) return std::nullopt;
  over_ = (flight_.arrived > part_of_flight * flight_.sent && !is_late(path)) || ++flights_ >= most_flights;
  begin_flight();
  return std::nullopt;
}

/// What goes after a pause meets an empty queue again, and a bucket that is full.
void FirstData::note(Path& path, const BurstMeter::Seen& seen) {
  if (seen.paused) path.count = 0;
  const Burst step = seen.of_all().step;
  if (!seen.paused && step.arrived >= least_step_bytes) path.steps[path.count++ % remembered] = step;
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
  const bool slower = count >= least_alike && alike.arrived >= part_alike * last.sum.arrived &&
                      alike.arriving > longer_than_sent * alike.sending &&
                      slower_than_rate * carried.value < rate.value;
  if (slower) carried_ = std::max(carried_, carried);
  return slower;
}

}  // namespace lbsp::transport
