#include "transport/rate/first_data.hpp"

#include <algorithm>

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

double time_per_byte(const Burst& step) {
  return step.arriving / step.arrived;
}

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

/// The newest steps that tell, none if they are too few; the newest first.
std::vector<Burst> FirstData::last_steps(const Path& path) {
  std::vector<Burst> last;
  double bytes = 0;
  const std::size_t known = std::min(path.count, remembered);
  for (std::size_t i = 0; i < known && (bytes < bytes_that_tell || i < least_alike); ++i) {
    last.push_back(path.steps[(path.count - 1 - i) % remembered]);
    bytes += last.back().arrived;
  }
  if (bytes < least_bytes_that_tell) last.clear();
  return last;
}

bool FirstData::is_late(const Path& path) {
  Burst sum;
  for (const Burst& step : last_steps(path))
    sum.add(step);
  return sum.arriving > late * sum.sending;
}

bool FirstData::is_slower(const Path& path, BytesPerSecond rate) {
  std::vector<Burst> last = last_steps(path);
  if (last.size() < least_alike) return false;
  std::ranges::sort(last, {}, time_per_byte);
  const double usual = time_per_byte(last[last.size() / 2]);
  Burst alike;
  std::size_t count = 0;
  double bytes = 0;
  for (const Burst& step : last) {
    bytes += step.arrived;
    if (time_per_byte(step) > alike_by * usual || time_per_byte(step) * alike_by < usual) continue;
    alike.add(step);
    ++count;
  }
  const BytesPerSecond carried{alike.arrived / alike.arriving};
  const bool slower = count >= least_alike && alike.arrived >= part_alike * bytes &&
                      alike.arriving > longer_than_sent * alike.sending &&
                      slower_than_rate * carried.value < rate.value;
  if (slower) carried_ = std::max(carried_, carried);
  return slower;
}

}  // namespace lbsp::transport
