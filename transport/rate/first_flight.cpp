#include "transport/rate/first_flight.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lbsp::transport {
namespace {

/// Of fewer, those that a host has delayed are too many.
constexpr double enough_datagrams = 6;
/// Than they were sent in: shorter delays are the hosts', and less is not worth another rate.
constexpr Duration clearly_longer = std::chrono::microseconds{300};
constexpr double far_longer = 1.25;
/// Of fewer it is not known whether they are even, and so far their quartiles may be apart.
constexpr std::size_t least_even_steps = 4;
constexpr double most_uneven = 1.6;
/// Of what was sent: where more is lost, what else came over the link meanwhile is not known.
constexpr double enough_arrived = 0.7;
/// What follows in less time goes at once, too, if nothing else did meanwhile.
constexpr Duration at_once = std::chrono::milliseconds{1};

}  // namespace

FirstFlight::FirstFlight(std::size_t paths, std::size_t datagram_bytes, bool begins)
    : over_(!begins || paths == 0),
      most_(std::max<std::uint64_t>(least_bytes, datagrams_of_path * paths * datagram_bytes)),
      flight_(most_) {}

std::optional<BytesPerSecond> FirstFlight::echoed(Rank peer, const TrainMark& mark) {
  if (over_) return std::nullopt;
  open_window(mark);
  const auto place = static_cast<std::size_t>(peer);
  if (place >= paths_.size()) paths_.resize(place + 1);
  Path& path = paths_[place];
  const std::optional<TrainMark> before = std::exchange(path.last, mark);
  if (!before) return std::nullopt;
  if (before->train != mark.train && mark.sent_at - before->sent_at > at_once) {
    path.steps.clear();
    path.arrived = 0;
    return std::nullopt;
  }
  path.steps.push_back(step(*before, mark));
  path.arrived += path.steps.back().arrived;
  const auto sent = static_cast<double>(mark.packets);
  const bool lossy = sent >= enough_datagrams && mark.arrived < enough_arrived * sent;
  over_ = lossy || path.arrived >= enough_datagrams;
  if (!over_ || lossy) return std::nullopt;
  return carried(std::exchange(path.steps, {}));
}

void FirstFlight::open_window(const TrainMark& mark) {
  echoed_ = std::max(echoed_, mark.bytes_to_all);
  if (echoed_ < flight_) return;
  most_ *= 2;
  flight_ = echoed_ + most_;
}

FirstFlight::Step FirstFlight::step(const TrainMark& from, const TrainMark& to) {
  const auto arrived = static_cast<double>(to.arrived - from.arrived);
  const std::chrono::microseconds arriving{static_cast<std::int32_t>(to.arrived_at - from.arrived_at)};
  return {.bytes = static_cast<double>(to.bytes_to_all - from.bytes_to_all),
          .arrived = arrived,
          .sending = to.sent_at - from.sent_at,
          .arriving = arriving};
}

/// By the lower quartile of the steps, if they are alike: a link that is too slow delivers one datagram as long after
/// the last as it takes; where delays vary for other reasons they do not come evenly.
std::optional<BytesPerSecond> FirstFlight::carried(std::vector<Step> steps) {
  if (steps.size() < least_even_steps) return std::nullopt;
  const auto time_per_byte = [](const Step& each) {
    return seconds(each.arriving) / std::max(each.bytes, 1.0);
  };
  std::ranges::sort(steps, {}, time_per_byte);
  const Step& quartile = steps[steps.size() / 4];
  const Step& upper = steps[3 * steps.size() / 4];
  Duration sending{0};
  Duration arriving{0};
  for (const Step& each : steps) {
    sending += each.sending;
    arriving += each.arriving;
  }
  const bool longer = arriving > sending + clearly_longer &&
                      seconds(quartile.arriving) > far_longer * seconds(quartile.sending);
  const bool even = time_per_byte(upper) < most_uneven * time_per_byte(quartile);
  return longer && even ? std::optional(BytesPerSecond{1 / time_per_byte(quartile)}) : std::nullopt;
}

}  // namespace lbsp::transport
