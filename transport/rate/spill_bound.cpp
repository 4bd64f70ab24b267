#include "transport/rate/spill_bound.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Fewer say little of what is lost.
constexpr std::uint64_t datagrams_of_round = 8;
/// Links change meanwhile.
constexpr Duration longest_spill_round = 10s;
constexpr Duration pause_that_ends_spill = 60s;

/// What a flood drops is soon taken for usual: more than this passes for the path's own only once a lower rate has
/// not helped.
constexpr double most_usual = 0.15;
constexpr double mostly_lost = 0.5;
constexpr int rounds_before = 2;
/// Beyond the usual: a bound is too high.
constexpr double spilled = 0.16;
constexpr double part_of_own_loss = 0.8;
/// At a far lower rate, of what the path loses itself.
constexpr double most_more_arrives = 2;
constexpr int rounds_of_own_loss = 6;
/// Of the part that arrived when the loss passed for the path's own: if less does, the loss depends on the rate.
constexpr double least_part_of_own = 0.5;
constexpr Duration without_bound = 60s;

/// Falls from two rates of which one is this many times the other tell of different things.
constexpr double unlike = 1.6;

constexpr double bold_gain = 2;
constexpr double longer_spill_step = 1.5;
constexpr double longest_spill_step = 0.25;
/// Of the bound: less does not show whether more would be carried, if nothing waits.
constexpr double part_used = 0.6;

/// Of a rate: as much arrives at least. Outages do not last.
constexpr double least_part = 0.125;

/// On short paths two datagrams in a round trip are more than slow links carry.
constexpr Duration longest_of_two = 300ms;

double least_spill_rate(const SpillBound::Path& path) {
  const Duration time = std::max<Duration>(path.round_trip, longest_of_two);
  return 2 * static_cast<double>(path.datagram_bytes) / seconds(time);
}

double carried_part(double loss) {
  return std::max(least_part, 1 - loss);
}

}  // namespace

/// What differs between short and long paths.
struct SpillBound::Rules {
  double datagrams_before;  ///< in floods, before there is a bound
  bool waiting_shows;       ///< that something waits, although little is sent, shows what is carried
  bool only_floods_hurry;   ///< a round that loses less never lowers a bound at once
  bool losses_end;          ///< with a fall, as what was lost before says nothing of the path
  double bold_part;         ///< of a bound that flooded: up to there it doubles again
  double step_after_flood;  ///< from there
  double first_step;        ///< from a bound that was a little too high
  int falls_that_show;      ///< about what is carried
  /// A part of what was sent at first, whatever the bound let go: if less loses as much, that is the path's own. Bursts
  /// of a few datagrams lose as much at many rates.
  double far_lower;
};

const SpillBound::Rules& SpillBound::rules_of(const Path& path) {
  // On a short path, runs of random losses may take most of a round.
  static constexpr Rules on_short{.datagrams_before = 40,
                                  .waiting_shows = true,
                                  .only_floods_hurry = true,
                                  .losses_end = true,
                                  .bold_part = 0.7,
                                  .step_after_flood = 0.1,
                                  .first_step = 0.03,
                                  .falls_that_show = 2,
                                  .far_lower = 0.25};
  static constexpr Rules on_long{.datagrams_before = 0,
                                 .waiting_shows = false,
                                 .only_floods_hurry = false,
                                 .losses_end = false,
                                 .bold_part = 0,
                                 .step_after_flood = longest_spill_step,
                                 .first_step = longest_spill_step,
                                 .falls_that_show = 1,
                                 .far_lower = 0.125};
  return path.round_trip < short_path ? on_short : on_long;
}

/// More than half, and of the rest what is usual.
bool SpillBound::Round::floods() const {
  return loss > mostly_lost + own_loss / 2;
}

bool SpillBound::Round::loses_more() const {
  return loss > own_loss + spilled;
}

bool SpillBound::echoed(const TrainMark& mark, const Path& path) {
  fell_ = false;
  if (!mark.data) return false;
  const Duration since = begun_ ? mark.sent_at - begun_->sent_at : Duration::max();
  if (since > longest_spill_round || !path.in_bursts)
    return pause(mark, since > pause_that_ends_spill || !path.in_bursts);
  const std::uint64_t sent = mark.packets - begun_->packets;
  const Duration span = mark.sent_at - begun_->sent_at;
  if (sent < datagrams_of_round || span < std::max(path.round_trip, SpillBound::short_path)) return false;
  const double arrived = static_cast<double>(mark.arrived - begun_->arrived) / static_cast<double>(sent);
  const double bytes = static_cast<double>(mark.bytes - begun_->bytes) / seconds(span);
  begun_ = mark;
  const Round round{.datagrams = static_cast<double>(sent),
                    .loss = 1 - arrived,
                    .own_loss = std::min(path.usual_loss, most_usual),
                    .arrived = arrived * bytes,
                    .sent = bytes};
  return rate_ > 0 ? judge(round, path, mark.sent_at) : begin(round, path, mark.sent_at);
}

/// Whether that has ended a bound.
bool SpillBound::pause(const TrainMark& mark, bool ends) {
  const bool ended = ends && rate_ > 0;
  if (ends) rate_ = 0;
  bold_until_ = std::numeric_limits<double>::infinity();
  lossy_ = {};
  lossy_rounds_ = 0;
  begun_ = mark;
  return ended;
}

bool SpillBound::begin(const Round& round, const Path& path, Instant now) {
  const bool passes = now < not_before_ && 1 - round.loss >= least_part_of_own * own_arrived_;
  if (passes || !round.floods()) {
    lossy_ = {};
    lossy_rounds_ = 0;
    return false;
  }
  const Rules& rules = rules_of(path);
  first_sent_ = std::max(lossy_rounds_ > 0 ? first_sent_ : 0, round.sent);
  first_loss_ = std::max(lossy_rounds_ > 0 ? first_loss_ : 0, round.loss);
  lossy_.datagrams += round.datagrams;
  if (++lossy_rounds_ < rounds_before || lossy_.datagrams < rules.datagrams_before) return false;
  lossy_ = {};
  lossy_rounds_ = 0;
  shown_ = false;
  falls_ = 0;
  bold_until_ = std::numeric_limits<double>::infinity();
  rate_ = std::max(
      {bold_gain * round.arrived, carried_part(round.loss) * path.fair.value, least_spill_rate(path)});
  if (rate_ >= path.fair.value) rate_ = 0;
  fell_ = rate_ > 0 && rules.losses_end;
  return rate_ > 0;
}

bool SpillBound::judge(const Round& round, const Path& path, Instant now) {
  const bool held = std::exchange(held_, false);
  if (round.loses_more()) return fall(round, path, now);
  lossy_ = {};
  lossy_rounds_ = 0;
  return rise(round, path, held);
}

/// A run of losses may be chance in one round, where datagrams are lost at random.
bool SpillBound::fall(const Round& round, const Path& path, Instant now) {
  ++lossy_.rounds;
  lossy_.datagrams += round.datagrams;
  lossy_.lost += round.loss * round.datagrams;
  const bool at_once =
      ++lossy_rounds_ > rounds_before && (round.floods() || !rules_of(path).only_floods_hurry);
  if (lossy_.rounds < rounds_before && !at_once) return false;
  Round all = round;
  all.loss = lossy_.lost / lossy_.datagrams;
  lossy_ = {};
  const bool as_much =
      all.loss > part_of_own_loss * first_loss_ && 1 - all.loss < most_more_arrives * (1 - first_loss_);
  if (lossy_rounds_ >= rounds_of_own_loss && as_much && round.sent < rules_of(path).far_lower * first_sent_) {
    rate_ = 0;
    lossy_rounds_ = 0;
    not_before_ = now + without_bound;
    own_arrived_ = 1 - all.loss;
    return true;
  }
  lower(all, path);
  return true;
}

void SpillBound::lower(const Round& lossy, const Path& path) {
  const Rules& rules = rules_of(path);
  if (rules.bold_part > 0 && lossy.floods()) {
    bold_until_ = rules.bold_part * rate_;
    step_ = rules.step_after_flood;
    falls_ = 0;
  } else {
    const bool alike = rate_ < unlike * fell_from_ && fell_from_ < unlike * rate_;
    falls_ = alike ? falls_ + 1 : 1;
    fell_from_ = rate_;
    bold_until_ = 0;
    step_ = rules.first_step;
  }
  const double carried = carried_part((lossy.loss - lossy.own_loss) / (1 - lossy.own_loss)) * rate_;
  rate_ = std::max({lossy.arrived, carried, least_spill_rate(path)});
  fell_ = rules.losses_end;
}

bool SpillBound::rise(const Round& round, const Path& path, bool held) {
  const Rules& rules = rules_of(path);
  if (!(held && rules.waiting_shows) && round.sent < part_used * rate_) return false;
  shown_ = falls_ >= rules.falls_that_show;
  if (bold_gain * rate_ <= bold_until_) {
    rate_ *= bold_gain;
  } else {
    rate_ *= 1 + step_;
    step_ = std::min(longer_spill_step * step_, longest_spill_step);
  }
  if (rate_ >= path.fair.value) rate_ = 0;
  return true;
}

}  // namespace lbsp::transport
