#include "model/superstep/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "model/mathematics/require.hpp"
#include "model/superstep/repairs.hpp"
#include "model/superstep/schedule.hpp"

namespace lbsp::model::superstep {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Where nobody knows when the next superstep begins. What is still being sent when this one ends delays the next, if
/// that begins at once, until its messages acknowledge this one's: about half of the time, as measured.
constexpr double still_sending_weight = 0.5;

/// The planned passes over all messages, and between them the repairs.
class TimeLine {
 public:
  /// Of `schedule`, which must outlive this.
  TimeLine(Schedule& schedule, const Superstep& of);
  Prediction run();

 private:
  /// How far the passes over the messages of a kind are.
  struct Progress {
    std::size_t first, end;  ///< its groups
    std::size_t next;
    int pass;
    double ready;
  };

  struct Spares {
    int count = 0;     ///< of each block
    double begin = 0;  ///< when the first goes out
    double turn = 0;   ///< between two of the same block
  };

  double cost_of(double mean) const;
  Spares spares_of(const SendGroup& group, int coded, double sent) const;
  void send_next(Progress& progress);
  void send_singles(const Progress& beside);
  void send_copies(int index, Progress& progress, std::optional<double> turn);
  void send_blocks(int index, Progress& progress);
  void go_on(Progress& progress, bool cuts_in);
  void has_sent(Progress& progress, const Link::Window& window);
  void end_pass(Progress& progress, bool cuts_in);

  Schedule& schedule_;
  Repairs repairs_;
  std::vector<Progress> progress_;
  double seconds_;  ///< to send everything once
  std::optional<double> pause_;
  double sending_ends_ = 0;  ///< when a rank has sent everything that it planned to send
};

TimeLine::TimeLine(Schedule& schedule, const Superstep& of)
    : schedule_(schedule), repairs_(schedule), seconds_(of.seconds()), pause_(of.pause) {
  const std::vector<SendGroup>& groups = schedule.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == 0 || groups[i].kind != groups[i - 1].kind) progress_.push_back({i, i, i, 0, 0});
    progress_.back().end = i + 1;
  }
}

Prediction TimeLine::run() {
  for (;;) {
    const auto next =
        std::min_element(progress_.begin(), progress_.end(),
                         [](const Progress& a, const Progress& b) { return a.ready < b.ready; });
    const bool sends = next != progress_.end() && next->ready < never;
    if (sends && repairs_.next() > schedule_.link.next(next->ready)) {
      send_next(*next);
    } else if (repairs_.next() < never) {
      repairs_.find_next();
    } else {
      const double mean = schedule_.completion.mean();
      return {mean, cost_of(mean), schedule_.link.sent()};
    }
  }
}

/// Of supersteps one after the other, each takes `mean` if the bucket is full when it begins. It fills while nothing is
/// sent. So where a superstep takes P, sends for S, and would take M without what may go at once, that is P - S + pause
/// at most, and P = M - (P - S + pause). What has not gone by the next superstep's begin is in the way of that. As
/// nothing calls copies off in time where reports are few or wait in queues, all that is planned counts.
double TimeLine::cost_of(double mean) const {
  if (!pause_) return mean + still_sending_weight * std::max(0., sending_ends_ - mean);
  const double sent = std::max(schedule_.link.sent(), schedule_.planned_seconds);
  const double without_burst = mean + std::min(schedule_.link.burst(), seconds_);
  return std::max({mean, (without_burst + sent - *pause_) / 2, sent - *pause_});
}

/// Messages of one segment do not wait for a group of a longer one's segments: they take turns with these.
void TimeLine::send_singles(const Progress& beside) {
  const SendGroup& group = schedule_.groups[beside.next];
  const ProtectedMessages& longer = schedule_.kind_of(group);
  if (longer.segments == 1) return;
  const int coded = longer.is_coded() && group.is_protected ? longer.repair_segments : 0;
  const double segments = longer.is_coded() ? group.block_segments + coded : 1;
  for (;;) {
    const double end = schedule_.link.next(beside.ready) + group.parts * segments * longer.segment_seconds;
    const auto single = std::ranges::find_if(progress_, [&](const Progress& each) {
      return schedule_.kind_of(schedule_.groups[each.first]).segments == 1 && each.ready < end;
    });
    if (single == progress_.end()) return;
    send_copies(static_cast<int>(single->next), *single, longer.per_rank * longer.segment_seconds);
    go_on(*single, true);
  }
}

void TimeLine::send_next(Progress& progress) {
  send_singles(progress);
  const auto index = static_cast<int>(progress.next);
  if (schedule_.kind_of(schedule_.group(index)).is_coded()) {
    send_blocks(index, progress);
  } else {
    send_copies(index, progress, {});
  }
  go_on(progress, false);
}

void TimeLine::go_on(Progress& progress, bool cuts_in) {
  if (++progress.next == progress.end) end_pass(progress, cuts_in);
}

void TimeLine::has_sent(Progress& progress, const Link::Window& window) {
  progress.ready = window.at(1);
  sending_ends_ = std::max(sending_ends_, progress.ready);
}

void TimeLine::end_pass(Progress& progress, bool cuts_in) {
  const ProtectedMessages& kind = schedule_.kind_of(schedule_.groups[progress.first]);
  progress.next = progress.first;
  const bool more = !kind.is_coded() && ++progress.pass < kind.copies;
  const double ended = cuts_in ? progress.ready : schedule_.link.next(progress.ready);
  progress.ready = more ? ended + repairs_.times().copy_spacing : never;
}

/// The group's turn in a pass. What the sender knows to have arrived is not sent again, nor what it has
/// repaired.
void TimeLine::send_copies(int index, Progress& progress, std::optional<double> turn) {
  SendGroup& sent = schedule_.group(index);
  const bool first = progress.pass == 0;
  if (!first && !sent.is_protected) return;
  double share = 1;
  if (!first) {
    const double begin = turn ? progress.ready : schedule_.link.next(progress.ready);
    const double told_of = begin - schedule_.path.round_trip - repairs_.times().report_interval / 2;
    share = sent.undetected + sent.arrived_since(told_of);
  }
  if (share * sent.parts < 1e-9) return;
  const double seconds = share * sent.parts * schedule_.kind_of(sent).segment_seconds;
  const auto window = turn ? schedule_.link.cut_in(progress.ready, seconds, *turn)
                           : schedule_.link.send(progress.ready, seconds);
  const double before = first ? 1 : sent.undetected;
  sent.undetected = before * schedule_.lost(progress.pass);
  sent.passes.push_back({window.at(0.5), before - sent.undetected});
  if (first) {
    sent.first_sent = sent.turn == 0
                          ? window.at(0.5)
                          : std::max(0., sent.peers_before * schedule_.kind_of(sent).segment_seconds -
                                             schedule_.link.burst());
  }
  schedule_.arrive(sent, before - sent.undetected, window.at(0.5) + schedule_.path.round_trip / 2);
  repairs_.await_findings(index);
  has_sent(progress, window);
}

/// The spare coded segments of a group's blocks, if nothing is heard of these before everything has been sent: one
/// for each such block in turn.
TimeLine::Spares TimeLine::spares_of(const SendGroup& group, int coded, double sent) const {
  const ProtectedMessages& kind = schedule_.kind_of(group);
  const double end = std::max(sent, schedule_.planned_seconds - schedule_.link.burst());
  const Timing& timing = schedule_.protocol.timing;
  const double unheard_for = timing.unheard_round_trips * schedule_.path.round_trip;
  if (sent + unheard_for < end) return {};
  const Blocks blocks(kind.segments, schedule_.protocol.limits.block_segments);
  const double block_seconds = kind.per_rank * (blocks.longest() + coded) * kind.segment_seconds;
  const double unheard = std::min<double>(blocks.count(), std::ceil(unheard_for / block_seconds));
  const double turn = unheard * kind.per_rank * kind.segment_seconds;
  const int most = most_coded_segments(schedule_.protocol.repairs, blocks.longest(), schedule_.blocks,
                                       schedule_.path.loss, dispersion_of(schedule_.path));
  const double wanted = std::min(most, schedule_.protocol.limits.repair_segments) - coded;
  // The planned coded segments of the message's last block take some of the time for which there are spare ones.
  const double planned = kind.repair_segments * kind.per_rank * kind.segment_seconds;
  const double turns = (timing.spare_round_trips * schedule_.path.round_trip - planned) / turn;
  return {static_cast<int>(std::clamp(turns, 0., std::max(0., wanted))), end, turn};
}

/// A block may be complete from its last data segment on, and with each coded one it is more likely to be.
/// The block in the middle of the group stands for all.
void TimeLine::send_blocks(int index, Progress& progress) {
  SendGroup& sent = schedule_.group(index);
  const ProtectedMessages& kind = schedule_.kind_of(sent);
  const int coded = sent.is_protected ? kind.repair_segments : 0;
  const double segments = sent.block_segments + coded;
  const auto window = schedule_.link.send(progress.ready, sent.parts * segments * kind.segment_seconds);
  const auto in_the_middle = [&](double share) {
    return window.at(((sent.blocks - 1) / 2. + share) / sent.blocks);
  };
  const Spares spares = spares_of(sent, coded, window.at(1));
  if (spares.count > 0)
    sent.outcome =
        &schedule_.outcomes.of(static_cast<int>(std::lround(sent.block_segments)), coded + spares.count);
  const auto sent_at = [&](double segment) {
    return segment <= segments ? in_the_middle(segment / segments)
                               : spares.begin + (segment - segments) * spares.turn;
  };
  const std::vector<double>& lacking = sent.outcome->lacking_after;
  const double step =
      lacking.size() > 1 ? (coded + spares.count) / static_cast<double>(lacking.size() - 1) : 0;
  double missing = 1;
  for (std::size_t i = 0; i < lacking.size(); ++i) {
    if (i + 1 < lacking.size() && sent.weight * lacking[i] > -log_of_nothing) continue;
    const double sent_by_then = sent.block_segments + step * static_cast<double>(i);
    schedule_.arrive(sent, missing - lacking[i], sent_at(sent_by_then) + schedule_.path.round_trip / 2);
    missing = lacking[i];
  }
  sent.undetected = missing;
  sent.passes.push_back({in_the_middle(1), 1 - missing});
  sent.first_sent = std::max(0., sent.peers_before * kind.segment_seconds - schedule_.link.burst());
  repairs_.await_findings(index);
  has_sent(progress, window);
}

void validate(const Superstep& superstep, std::span<const Protection> protection) {
  mathematics::require_count(superstep.ranks, "nodes");
  mathematics::require_loss(superstep.path.loss);
  mathematics::require_loss(superstep.path.lost_again());
  mathematics::require_not_negative(superstep.path.round_trip, "a delay");
  mathematics::require_not_negative(superstep.path.round_trip_variation, "a variation of the delay");
  for (const Messages& messages : superstep.messages) {
    mathematics::require_count(messages.segments, "packets");
    mathematics::require_not_negative(messages.per_rank, "a number of messages");
    mathematics::require_not_negative(messages.segment_seconds, "a packet time");
  }
  for (const Protection& each : protection) {
    mathematics::require_copies(each.copies);
    mathematics::require_not_negative(each.repair_segments, "a number of coded segments");
  }
  if (protection.size() != superstep.messages.size())
    throw std::invalid_argument("another number of protections than of kinds of messages: give one for each");
}

}  // namespace

Prediction predict(const Superstep& superstep, std::span<const Protection> protection,
                   const Protocol& protocol, BlockOutcomes& outcomes) {
  validate(superstep, protection);
  Schedule schedule(superstep, protection, protocol, outcomes);
  return TimeLine(schedule, superstep).run();
}

Prediction predict(const Superstep& superstep, std::span<const Protection> protection,
                   const Protocol& protocol) {
  BlockOutcomes outcomes(superstep.path, protocol.repairs);
  return predict(superstep, protection, protocol, outcomes);
}

Spread predict_spread(const Superstep& superstep, std::span<const Protection> protection,
                      const Protocol& protocol, double share) {
  if (!(share >= 0 && share <= 1))
    throw std::invalid_argument("a share of all supersteps that is not within 0 and 1: give a fraction");
  validate(superstep, protection);
  BlockOutcomes outcomes(superstep.path, protocol.repairs);
  Schedule schedule(superstep, protection, protocol, outcomes);
  TimeLine(schedule, superstep).run();
  Spread spread = schedule.completion.spread(share);
  spread.from -= usual_error * spread.mean;
  spread.to += usual_error * spread.mean;
  return spread;
}

}  // namespace lbsp::model::superstep
