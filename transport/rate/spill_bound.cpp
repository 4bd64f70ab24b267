#include "transport/rate/spill_bound.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// On shorter paths an echo comes soon enough for other bounds.
constexpr Duration least_round_trip = 5ms;
/// Fewer say little of what is lost.
constexpr std::uint64_t datagrams_of_round = 8;
/// Links change meanwhile.
constexpr Duration longest_spill_round = 10s;

constexpr double mostly_lost = 0.5;
constexpr int rounds_before = 2;
/// Beyond the usual: a bound is too high.
constexpr double spilled = 0.2;
constexpr double part_of_own_loss = 0.8;
constexpr int rounds_of_own_loss = 6;
constexpr Duration without_bound = 60s;

constexpr double bold_gain = 2;
constexpr double careful_gain = 1.25;
/// Of the bound: less does not show whether more would be carried.
constexpr double part_used = 0.6;

/// Of a rate: as much arrives at least. Outages do not last.
constexpr double least_part = 0.125;

/// On short paths two datagrams in a round trip are more than slow links carry.
constexpr Duration longest_of_two = 100ms;

double least_spill_rate(const SpillBound::Path& path) {
  const Duration time = std::max<Duration>(path.round_trip, longest_of_two);
  return 2 * static_cast<double>(path.datagram_bytes) / seconds(time);
}

double carried_part(double loss) {
  return std::max(least_part, 1 - loss);
}

}  // namespace

bool SpillBound::echoed(const TrainMark& mark, const Path& path) {
  if (path.round_trip < least_round_trip || !mark.data) return false;
  if (!begun_ || mark.sent_at - begun_->sent_at > longest_spill_round || !path.in_bursts) {
    const bool bounded = rate_ > 0;
    rate_ = 0;
    shown_ = false;
    lossy_rounds_ = 0;
    begun_ = mark;
    return bounded;
  }
  const std::uint64_t sent = mark.packets - begun_->packets;
  const Duration span = mark.sent_at - begun_->sent_at;
  if (sent < datagrams_of_round || span < path.round_trip) return false;
  const double arrived =
      std::min(1.0, static_cast<double>(mark.arrived - begun_->arrived) / static_cast<double>(sent));
  const double bytes = static_cast<double>(mark.bytes - begun_->bytes) / seconds(span);
  begun_ = mark;
  const Round round{.loss = 1 - arrived, .arrived = arrived * bytes, .sent = bytes};
  return rate_ > 0 ? judge(round, path, mark.sent_at) : begin(round, path, mark.sent_at);
}

bool SpillBound::begin(const Round& round, const Path& path, Instant now) {
  if (now < not_before_ || round.loss < mostly_lost + path.usual_loss / 2) {
    lossy_rounds_ = 0;
    return false;
  }
  first_loss_ = std::max(lossy_rounds_ > 0 ? first_loss_ : 0, round.loss);
  if (++lossy_rounds_ < rounds_before) return false;
  lossy_rounds_ = 0;
  was_too_high_ = shown_ = false;
  rate_ = std::max(
      {bold_gain * round.arrived, carried_part(round.loss) * path.fair.value, least_spill_rate(path)});
  if (rate_ >= path.fair.value) rate_ = 0;
  return rate_ > 0;
}

bool SpillBound::judge(const Round& round, const Path& path, Instant now) {
  if (round.loss > spilled + path.usual_loss) {
    // A run of losses may be chance in one round, where datagrams are lost at random.
    if (++lossy_rounds_ < rounds_before) return false;
    was_too_high_ = true;
    rate_ = std::max({round.arrived, carried_part(round.loss) * rate_, least_spill_rate(path)});
    if (lossy_rounds_ >= rounds_of_own_loss && round.loss > part_of_own_loss * first_loss_) {
      rate_ = 0;
      lossy_rounds_ = 0;
      not_before_ = now + without_bound;
    }
    return true;
  }
  lossy_rounds_ = 0;
  if (round.sent < part_used * rate_) return false;
  shown_ = was_too_high_;
  rate_ *= was_too_high_ ? careful_gain : bold_gain;
  if (rate_ >= path.fair.value) rate_ = 0;
  return true;
}

}  // namespace lbsp::transport
