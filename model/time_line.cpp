#include "model/time_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "model/loss_discovery.hpp"
#include "model/require.hpp"
#include "model/send_groups.hpp"
#include "model/special_functions.hpp"

namespace lbsp::model {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
// What is missing so rarely, of all ranks' parts together, moves the mean by less than any target.
constexpr double negligible = 2e-4;
// The time line is cut off there: round trips, and times what is planned to be sent.
constexpr double longest_in_round_trips = 64;
constexpr double longest_in_loads = 4;
// F with so negative a logarithm is 0.
constexpr double log_of_nothing = -40;
constexpr std::size_t usual_groups = 8;

/// The rank's token bucket: what goes, goes at the rate, but for a burst after idle time.
class Link {
 public:
  explicit Link(double burst) : burst_(burst), busy_until_(-burst) {}
  double next(double ready) const { return std::max(ready, busy_until_); }
  struct Window {
    double ready, begin, seconds;
    /// When a share of it, from 0 to 1, has gone.
    double at(double share) const { return std::max(ready, begin + share * seconds); }
  };
  Window send(double ready, double seconds) {
    const double begin = std::max(busy_until_, ready - burst_);
    busy_until_ = begin + seconds;
    return {ready, begin, seconds};
  }

 private:
  double burst_;
  double busy_until_;
};

class TimeLine {
 public:
  TimeLine(double ranks, std::span<const MessageKind> kinds, const LossyPath& path,
           const ProtocolConstants& constants, BlockOutcomes& outcomes);
  CompletionTime run();

 private:
  /// How far the passes over the messages of a kind are.
  struct Progress {
    std::size_t first, end;  ///< its groups
    std::size_t next;
    int pass;
    double ready;
  };

  /// One of a group's awaited moments, in the order of time.
  struct Finding {
    double time;
    int group;
    std::size_t awaited;
    bool operator>(const Finding& other) const { return time > other.time; }
  };

  const MessageKind& kind_of(const SendGroup& group) const {
    return kinds_[static_cast<std::size_t>(group.kind)];
  }
  SendGroup& group(int index) { return groups_[static_cast<std::size_t>(index)]; }
  double lost(int copy) const { return copy == 0 ? path_.loss : again_; }

  void send_next(Progress& progress);
  void send_copies(int index, Progress& progress);
  void send_blocks(int index, Progress& progress);
  void end_pass(Progress& progress);
  void arrive(SendGroup& group, double share, double time);
  void await_findings(int index);
  void await_again(int index, const SendGroup::Awaited& repaired, double last_sent, double share);
  void find(const Finding& finding);
  void repair(int index, const SendGroup::Awaited& found, double share);
  void repair_blocks(int index, const SendGroup::Awaited& found, double share);
  void expect(int index, const SendGroup::Awaited& awaited);

  double ranks_;
  std::span<const MessageKind> kinds_;
  LossyPath path_;
  ProtocolConstants constants_;
  double again_;    ///< loss of a copy after a lost one
  double longest_;  ///< what would happen later is left out
  LossDiscovery discovery_;
  Link link_;
  CompletionSteps steps_;
  std::array<int, 2> repairs_of_one_;  ///< of a segment: the first time, and again
  std::vector<SendGroup> groups_;
  std::vector<Progress> progress_;
  std::priority_queue<Finding, std::vector<Finding>, std::greater<>> findings_;
};

double load_of(std::span<const MessageKind> kinds) {
  double seconds = 0;
  for (const MessageKind& kind : kinds)
    seconds += kind.per_rank * kind.segments * kind.segment_seconds;
  return seconds;
}

/// With all copies or coded segments.
double planned_load_of(std::span<const MessageKind> kinds, const ProtocolConstants& constants) {
  double seconds = 0;
  for (const MessageKind& kind : kinds) {
    const double blocks = std::ceil(1. * kind.segments / constants.longest_block);
    const double segments =
        is_coded(kind) ? kind.segments + blocks * kind.repair_segments : 1. * kind.segments * kind.copies;
    seconds += kind.per_rank * segments * kind.segment_seconds;
  }
  return seconds;
}

double burst_of(std::span<const MessageKind> kinds, const ProtocolConstants& constants) {
  double longest = 0;
  for (const MessageKind& kind : kinds)
    longest = std::max(longest, kind.segment_seconds);
  return std::max(constants.idle_burst, constants.least_burst_datagrams * longest);
}

TimeLine::TimeLine(double ranks, std::span<const MessageKind> kinds, const LossyPath& path,
                   const ProtocolConstants& constants, BlockOutcomes& outcomes)
    : ranks_(ranks),
      kinds_(kinds),
      path_(path),
      constants_(constants),
      again_(path.loss_after_loss < 0 ? path.loss : path.loss_after_loss),
      longest_(longest_in_round_trips * path.round_trip +
               longest_in_loads * planned_load_of(kinds, constants)),
      discovery_(path.round_trip, path.round_trip_variation, path.loss, constants),
      link_(burst_of(kinds, constants)),
      steps_(std::max({path.round_trip / 64, load_of(kinds) / 256, 1e-7})),
      repairs_of_one_{repairs_for(constants.repairs, 1, 0, path.loss),
                      repairs_for(constants.repairs, 1, 1, path.loss)} {
  groups_.reserve(usual_groups * kinds.size());
  for (int i = 0; i < static_cast<int>(kinds.size()); ++i) {
    const MessageKind& kind = kinds[static_cast<std::size_t>(i)];
    const std::size_t first = groups_.size();
    append_send_groups(groups_, kind, i, ranks, path, constants, outcomes);
    progress_.push_back({first, groups_.size(), first, 0, 0});
  }
}

CompletionTime TimeLine::run() {
  for (;;) {
    const auto next =
        std::min_element(progress_.begin(), progress_.end(),
                         [](const Progress& a, const Progress& b) { return a.ready < b.ready; });
    const bool sends = next != progress_.end() && next->ready < never;
    if (sends && (findings_.empty() || findings_.top().time > link_.next(next->ready))) {
      send_next(*next);
    } else if (!findings_.empty()) {
      const Finding finding = findings_.top();
      findings_.pop();
      find(finding);
    } else {
      return std::move(steps_).finish();
    }
  }
}

void TimeLine::send_next(Progress& progress) {
  const auto index = static_cast<int>(progress.next);
  if (is_coded(kind_of(group(index)))) {
    send_blocks(index, progress);
  } else {
    send_copies(index, progress);
  }
  if (++progress.next == progress.end) end_pass(progress);
}

void TimeLine::end_pass(Progress& progress) {
  const MessageKind& kind = kind_of(groups_[progress.first]);
  progress.next = progress.first;
  const bool more = !is_coded(kind) && ++progress.pass < kind.copies;
  progress.ready = more ? link_.next(progress.ready) + discovery_.times().copy_spacing : never;
}

/// The group's turn in a pass. What the sender knows to have arrived is not sent again, nor what it has
/// repaired.
void TimeLine::send_copies(int index, Progress& progress) {
  SendGroup& sent = group(index);
  const bool first = progress.pass == 0;
  if (!first && !sent.is_protected) return;
  double share = 1;
  if (!first) {
    const double told_of =
        link_.next(progress.ready) - path_.round_trip - discovery_.times().report_interval / 2;
    share = sent.undetected + sent.arrived_since(told_of);
  }
  if (share * sent.parts < 1e-9) return;
  const auto window = link_.send(progress.ready, share * sent.parts * kind_of(sent).segment_seconds);
  const double before = first ? 1 : sent.undetected;
  sent.undetected = before * lost(progress.pass);
  sent.passes.push_back({window.at(0.5), before - sent.undetected});
  if (first) {
    sent.first_sent =
        sent.turn == 0
            ? window.at(0.5)
            : std::max(0., sent.peers_before * kind_of(sent).segment_seconds - burst_of(kinds_, constants_));
  }
  arrive(sent, before - sent.undetected, window.at(0.5) + path_.round_trip / 2);
  await_findings(index);
  progress.ready = window.at(1);
  steps_.sent(progress.ready);
}

/// A block may be complete from its last data segment on, and with each coded one it is more likely to be.
void TimeLine::send_blocks(int index, Progress& progress) {
  SendGroup& sent = group(index);
  const MessageKind& kind = kind_of(sent);
  const int coded = sent.is_protected ? kind.repair_segments : 0;
  const double segments = sent.block_segments + coded;
  const auto window = link_.send(progress.ready, sent.parts * segments * kind.segment_seconds);
  const std::vector<double>& lacking = sent.outcome->lacking_after;
  const double step = lacking.size() > 1 ? coded / static_cast<double>(lacking.size() - 1) : 0;
  double missing = 1;
  for (std::size_t i = 0; i < lacking.size(); ++i) {
    if (i + 1 < lacking.size() && sent.weight * lacking[i] > -log_of_nothing) continue;
    const double sent_by_then = sent.block_segments + step * static_cast<double>(i);
    arrive(sent, missing - lacking[i], window.at(sent_by_then / segments) + path_.round_trip / 2);
    missing = lacking[i];
  }
  sent.undetected = missing;
  sent.passes.push_back({window.at(1), 1 - missing});
  sent.first_sent = std::max(0., sent.peers_before * kind.segment_seconds - burst_of(kinds_, constants_));
  await_findings(index);
  progress.ready = window.at(1);
  steps_.sent(progress.ready);
}

/// A share of the group's parts, missing so far, is there.
void TimeLine::arrive(SendGroup& arrived, double share, double time) {
  const bool first = arrived.missing >= 1;
  arrived.missing = std::max(0., arrived.missing - share);
  if (arrived.missing >= 1) return;
  if (!first && arrived.weight * arrived.missing > -log_of_nothing) return;  // F is still 0
  const double log_complete = arrived.weight * log_of_rest(arrived.missing);
  if (first) {
    steps_.begin(time);
  } else {
    steps_.add(time, log_complete - arrived.log_complete);
  }
  arrived.log_complete = log_complete;
}

void TimeLine::await_findings(int index) {
  SendGroup& sent = group(index);
  const MessageKind& kind = kind_of(sent);
  const Discovery discovery = kind.segments == 1 ? discovery_.of_single(sent.passes.back().sent)
                                                 : discovery_.in_pass(sent.as_lost_part(kind, path_.loss));
  ++sent.generation;
  for (const auto& moment : discovery) {
    expect(index,
           {moment.time, sent.undetected * moment.probability, 0, sent.generation, moment.by_probe, true});
  }
}

void TimeLine::expect(int index, const SendGroup::Awaited& awaited) {
  SendGroup& of = group(index);
  if (awaited.share * of.weight < negligible) return;
  if (awaited.time > longest_) return;
  auto free = of.awaited.end();
  for (auto other = of.awaited.begin(); other != of.awaited.end(); ++other) {
    if (!other->in_use) {
      free = other;
    } else if (awaited.attempt > 0 && other->attempt == awaited.attempt &&
               std::abs(other->time - awaited.time) < discovery_.times().report_interval / 4) {
      other->share += awaited.share;  // found together
      return;
    }
  }
  if (free == of.awaited.end()) {
    of.awaited.push_back(awaited);
    free = of.awaited.end() - 1;
  } else {
    *free = awaited;
  }
  findings_.push({awaited.time, index, static_cast<std::size_t>(free - of.awaited.begin())});
}

void TimeLine::find(const Finding& finding) {
  SendGroup& of = group(finding.group);
  SendGroup::Awaited found = of.awaited[finding.awaited];
  of.awaited[finding.awaited].in_use = false;
  if (found.attempt == 0 && found.generation != of.generation) return;
  const bool certain = found.by_probe || kind_of(of).segments == 1;
  const double share = certain ? found.share : found.share * (1 - path_.loss);
  if (found.attempt == 0) of.undetected -= share;
  repair(finding.group, found, share);
  found.share -= share;
  found.time += discovery_.times().report_interval;
  expect(finding.group, found);
}

/// Repairs that go like the one before count as the same, so that what they are awaited for at about the same
/// time is one.
int attempt_after(const SendGroup& of, const SendGroup::Awaited& found) {
  const int last = of.outcome ? static_cast<int>(of.outcome->repairs.size()) - 1 : 1;
  return std::min(found.attempt + 1, std::max(1, last));
}

void TimeLine::repair(int index, const SendGroup::Awaited& found, double share) {
  SendGroup& of = group(index);
  const MessageKind& kind = kind_of(of);
  if (is_coded(kind)) {
    repair_blocks(index, found, share);
    return;
  }
  int copies = repairs_of_one_[found.attempt == 0 ? 0 : 1];
  const double between = std::max(kind.per_rank * kind.segment_seconds, 1e-12);
  const double told_at_once =
      std::min<double>(kind.segments, discovery_.times().report_interval / between) * path_.loss;
  if (found.attempt == 0 && told_at_once > constants_.few_repairs) copies = 1;
  const auto window = link_.send(found.time, copies * share * of.parts * kind.segment_seconds);
  double left = share;
  double last_sent = 0;
  for (int i = 0; i < copies; ++i) {
    const double spaced = window.at(0.5 / copies) + i * discovery_.times().copy_spacing;
    last_sent = std::max(window.at((i + 0.5) / copies), spaced);
    const double before = left;
    left *= lost(i);
    arrive(of, before - left, last_sent + path_.round_trip / 2);
  }
  await_again(index, found, last_sent, left);
}

void TimeLine::repair_blocks(int index, const SendGroup::Awaited& found, double share) {
  SendGroup& of = group(index);
  const auto& repairs = of.outcome->repairs;
  const RepairAttempt& attempt =
      repairs[std::min(static_cast<std::size_t>(found.attempt), repairs.size() - 1)];
  const double seconds = attempt.sends * share * of.parts * kind_of(of).segment_seconds;
  const auto window = link_.send(found.time, seconds);
  const double left = share * attempt.still;
  arrive(of, share - left, window.at(0.75) + path_.round_trip / 2);
  const double seen = left * attempt.seen;
  expect(index,
         {discovery_.again_seen(found.time, window.at(1)), seen, attempt_after(of, found), 0, false, true});
  await_again(index, found, window.at(1), left - seen);
}

/// All copies of a repair were lost.
void TimeLine::await_again(int index, const SendGroup::Awaited& repaired, double last_sent, double share) {
  const SendGroup& of = group(index);
  const MessageKind& kind = kind_of(of);
  const bool first = repaired.attempt == 0;
  const int next = attempt_after(of, repaired);
  const auto expect_at = [&](double time, double part) { expect(index, {time, part, next, 0, false, true}); };
  const auto passes = static_cast<double>(of.passes.size());
  if (kind.segments == 1) {
    const double timeout = discovery_.times().probe_timeout;
    const double report = discovery_.single_told(of.passes.front().sent);
    // This rank's acknowledgement of the peer's message, the peer's report, and the peer's message itself
    // arrived.
    const double told =
        first && report > last_sent ? std::pow(1 - path_.loss, 2) * (1 - std::pow(path_.loss, passes)) : 0;
    expect_at(report + timeout, share * told);
    expect_at(last_sent + timeout, share * (1 - told));
    return;
  }
  if (!first) {
    expect_at(discovery_.again(repaired.time, last_sent), share);
    return;
  }
  // Repairs of others, and reports about the peer's message, keep the receiver's reports coming.
  const double alone = std::pow(1 - std::pow(path_.loss, passes), 2 * kind.segments - 1);
  const double last_arrival = of.passes.back().sent + path_.round_trip / 2 +
                              (kind.segments - 1 - of.turn) * kind.per_rank * kind.segment_seconds;
  expect_at(discovery_.again(repaired.time, last_sent), share * (1 - alone));
  expect_at(discovery_.again_alone(repaired.time, last_sent, last_arrival), share * alone);
}

void validate(double ranks, std::span<const MessageKind> kinds, const LossyPath& path) {
  require_nodes(ranks);
  require_loss(path.loss);
  require_not_negative(path.round_trip, "a delay");
  require_not_negative(path.round_trip_variation, "a variation of the delay");
  for (const MessageKind& kind : kinds) {
    require_copies(kind.copies);
    require_packets(kind.segments);
    require_not_negative(kind.per_rank, "a number of messages");
    require_not_negative(kind.segment_seconds, "a packet time");
  }
}

}  // namespace

CompletionTimes::CompletionTimes(double ranks, const LossyPath& path, const ProtocolConstants& constants)
    : ranks_(ranks),
      path_(path),
      constants_(constants),
      outcomes_(path.loss, dispersion_of(path), constants.repairs) {}

CompletionTime CompletionTimes::of(std::span<const MessageKind> kinds) {
  validate(ranks_, kinds, path_);
  return TimeLine(ranks_, kinds, path_, constants_, outcomes_).run();
}

CompletionTime completion_time(double ranks, std::span<const MessageKind> kinds, const LossyPath& path,
                               const ProtocolConstants& constants) {
  return CompletionTimes(ranks, path, constants).of(kinds);
}

}  // namespace lbsp::model
