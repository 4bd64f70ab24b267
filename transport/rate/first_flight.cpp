#include "transport/rate/first_flight.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <utility>

namespace lbsp::transport {
namespace {

/// Of fewer, those that a host has delayed are too many.
constexpr std::uint64_t enough_datagrams = 7;
/// Of a train, after which there is little to wait for.
constexpr std::uint64_t most_of_train = FirstFlight::train_datagrams - 2;
/// Than they were sent in: shorter delays are the hosts', …
constexpr Duration clearly_longer = std::chrono::microseconds{300};
/// … or if they come evenly, as hosts deliver them only if they are slow. Less is not worth another rate.
constexpr Duration clearly_longer_if_even = std::chrono::microseconds{150};
constexpr double far_longer = 1.25;
/// Of fewer it is not known whether they are even, and so far their quartiles may be apart.
constexpr std::size_t least_even_steps = 4;
constexpr double most_uneven = 1.6;
/// In all: delays vary, and what looks like a fast link may be a slow one.
constexpr Duration far_later = std::chrono::milliseconds{3};
/// So many steps are long because a host stood still.
constexpr std::size_t longest_by_chance = 2;
/// A step at the end of a train that takes so much longer than to send may be the first after a token bucket was empty.
constexpr Duration late_step = std::chrono::microseconds{100};
/// So many of them are even by no chance, where delays vary.
constexpr std::size_t least_late_steps = 5;
/// Of what was sent: where more is lost, what else came over the link meanwhile is not known.
constexpr double enough_arrived = 0.7;
constexpr std::uint64_t enough_sent = 6;
/// Of two hosts, one may have told of a slow link while the other has read all at once: then data is to decide, which
/// may go to a third one, for so many flights.
constexpr int flights_where_read_at_once = 3;
/// What follows in less time goes at once, too, if nothing else did meanwhile.
constexpr Duration at_once = std::chrono::milliseconds{1};

}  // namespace

FirstFlight::FirstFlight(std::size_t paths, std::size_t datagram_bytes, bool begins)
    : over_(!begins || paths == 0),
      trains_(std::min(paths, most_trains)),
      most_(std::max<std::uint64_t>(least_bytes, datagrams_of_path * paths * datagram_bytes)),
      flight_(most_) {}

std::optional<BytesPerSecond> FirstFlight::echoed(Rank peer, const TrainMark& mark) {
  if (over_) return std::nullopt;
  open_window(mark);
  const auto place = static_cast<std::size_t>(peer);
  if (place >= paths_.size()) paths_.resize(place + 1);
  Path& path = paths_[place];
  judge(path, mark);
  if (path.verdict == Verdict::carries_all) carried_ = uneven_ = std::nullopt;
  const int flights = answered() ? flights_where_read_at_once : 1;
  over_ = path.verdict == Verdict::carries_all || judged_ >= trains_ || (judged_ > 0 && opened_ >= flights);
  return over_ ? carried_ : std::nullopt;
}

void FirstFlight::judge(Path& path, const TrainMark& mark) {
  const std::optional<TrainMark> before = std::exchange(path.last, mark);
  if (path.verdict != Verdict::none) return;
  if (before && before->train != mark.train && mark.sent_at - before->sent_at > at_once) {
    path.steps.clear();
    path.before = before->arrived;
    return;
  }
  if (before) path.steps.push_back(step(*before, mark));
  const bool lossy = mark.packets >= enough_sent &&
                     static_cast<double>(mark.arrived) < enough_arrived * static_cast<double>(mark.packets);
  const std::uint64_t arrived = mark.arrived - path.before;
  const bool tells = arrived >= enough_datagrams && path.steps.size() >= least_even_steps;
  if (!lossy && !tells) return take_read_at_once(path, mark);
  std::vector<Step> steps = path.steps;
  Verdict verdict = lossy ? Verdict::unknown : verdict_on(steps);
  if (!lossy && verdict != Verdict::slower) {
    steps = after_bucket(path.steps);
    const bool enough = steps.size() >= least_late_steps;
    if (!enough && !steps.empty() && mark.packets < train_datagrams) return;
    if (enough) verdict = verdict_on(steps);
  }
  path.verdict = verdict;
  ++judged_;
  if (!path.read_at_once) ++answered_;
  if (verdict == Verdict::unknown && !lossy) {
    const BytesPerSecond least = rate_of(path.steps);
    uneven_ = std::max(least, uneven_.value_or(least));
  }
  if (verdict != Verdict::slower) return;
  const BytesPerSecond carried{1 / time_per_byte(steps[steps.size() / 4])};
  carried_ = std::max(carried, carried_.value_or(carried));
}

/// If the train is over, and was read in few parts.
void FirstFlight::take_read_at_once(Path& path, const TrainMark& mark) {
  if (path.read_at_once || (mark.arrived < most_of_train && mark.packets < train_datagrams)) return;
  path.read_at_once = true;
  path.steps.clear();
  path.before = mark.arrived;
  ++answered_;
  most_ = std::max(most_, bytes_where_read_at_once);
  flight_ = std::max(flight_, echoed_ + most_);
}

void FirstFlight::open_window(const TrainMark& mark) {
  echoed_ = std::max(echoed_, mark.bytes_to_all);
  if (echoed_ < flight_) return;
  ++opened_;
  most_ *= 2;
  flight_ = echoed_ + most_;
}

FirstFlight::Step FirstFlight::step(const TrainMark& from, const TrainMark& to) {
  const std::chrono::microseconds arriving{static_cast<std::int32_t>(to.arrived_at - from.arrived_at)};
  return {.bytes = static_cast<double>(to.bytes_to_all - from.bytes_to_all),
          .sending = to.sent_at - from.sent_at,
          .arriving = arriving};
}

double FirstFlight::time_per_byte(const Step& step) {
  return seconds(step.arriving) / std::max(step.bytes, 1.0);
}

/// A token bucket, as the kernel's tbf and htb have one, lets the first datagrams pass at once: then those at the end
/// tell. They are as late as each other.
std::vector<FirstFlight::Step> FirstFlight::after_bucket(const std::vector<Step>& steps) {
  auto first = steps.end();
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (; first != steps.begin(); --first) {
    const Step& step = *std::prev(first);
    least = std::min(least, time_per_byte(step));
    most = std::max(most, time_per_byte(step));
    const bool late = step.arriving > step.sending + late_step &&
                      seconds(step.arriving) > far_longer * seconds(step.sending);
    if (!late || most >= most_uneven * least) break;
  }
  return {first, steps.end()};
}

BytesPerSecond FirstFlight::rate_of(const std::vector<Step>& steps) {
  double bytes = 0;
  Duration arriving{0};
  for (const Step& each : steps) {
    bytes += each.bytes;
    arriving += each.arriving;
  }
  return {bytes / seconds(arriving)};
}

/// By the lower quartile of the steps, if they are alike: a link that is too slow delivers one datagram as long after
/// the last as it takes; where delays vary for other reasons they do not come evenly. Then the link carries all if only
/// one or two steps were long, as where a host stood still for a little. Where one datagram is late by more, others
/// behind it may have caught up, and come at once as on a fast link.
FirstFlight::Verdict FirstFlight::verdict_on(std::vector<Step>& steps) {
  std::ranges::sort(steps, {}, time_per_byte);
  const Step& quartile = steps[steps.size() / 4];
  const Step& upper = steps[3 * steps.size() / 4];
  const double usual = time_per_byte(quartile);
  const bool even =
      time_per_byte(upper) < most_uneven * usual && 1 / rate_of(steps).value < most_uneven * usual;
  const bool most_longer = seconds(quartile.arriving) > far_longer * seconds(quartile.sending);
  if (even && most_longer && longer_by(steps, 0) > clearly_longer_if_even) return Verdict::slower;
  if (longer_by(steps, 0) > far_later) return Verdict::unknown;
  const std::size_t without = most_longer && !even ? 0 : longest_by_chance;
  return longer_by(steps, without) > clearly_longer ? Verdict::unknown : Verdict::carries_all;
}

/// By how much they took longer to arrive than to be sent, without the last ones.
Duration FirstFlight::longer_by(std::span<const Step> steps, std::size_t without) {
  Duration longer{0};
  for (const Step& each : steps.first(steps.size() - without))
    longer += each.arriving - each.sending;
  return longer;
}

}  // namespace lbsp::transport
