#include "model/superstep/repairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lbsp::model::superstep {
namespace {

// What is missing so rarely, of all ranks' parts together, moves the mean by less than any target.
constexpr double negligible = 2e-4;

bool is_negligible(double share, const SendGroup& of) {
  return share * of.weight < negligible;
}

// The time line is cut off there: round trips or timeouts, and times what is planned to be sent. On a fast link a
// timeout takes hundreds of round trips.
constexpr double longest_in_round_trips = 64;
constexpr double longest_in_timeouts = 16;
constexpr double longest_in_loads = 4;

/// Repairs that go like the one before count as the same, so that what they are awaited for at about the same
/// time is one.
int attempt_after(const SendGroup& of, int attempt) {
  const int last = of.outcome ? static_cast<int>(of.outcome->repairs.size()) - 1 : 1;
  return std::min(attempt + 1, std::max(1, last));
}

/// The share of which the sender learns first after so many repairs.
double take_awaited(SendGroup& of, int attempt) {
  const auto next = of.awaited.begin() + of.found++;
  const auto first = std::ranges::find(next, of.awaited.end(), attempt, &SendGroup::Awaited::attempt);
  std::rotate(next, first, first + 1);
  return next->share;
}

}  // namespace

Repairs::Repairs(Schedule& schedule)
    : schedule_(schedule),
      discovery_(schedule.path, schedule.protocol),
      repairs_of_one_{repairs_for(schedule.protocol.repairs, 1, 0, schedule.path.loss),
                      repairs_for(schedule.protocol.repairs, 1, 1, schedule.path.loss)},
      longest_(std::max(longest_in_round_trips * schedule.path.round_trip,
                        longest_in_timeouts * discovery_.times().probe_timeout) +
               longest_in_loads * schedule.planned_seconds) {}

double Repairs::next() const {
  return findings_.empty() ? std::numeric_limits<double>::infinity() : findings_.top().time;
}

void Repairs::await_findings(int index) {
  SendGroup& sent = schedule_.group(index);
  const ProtectedMessages& kind = schedule_.kind_of(sent);
  sent.heard = 1 - std::pow(schedule_.path.loss, static_cast<double>(sent.passes.size()));
  for (const Moment& moment : discovery_.in_pass(sent.as_lost_part(kind, schedule_.path.loss)))
    expect(
        {moment.time, sent.undetected * moment.probability, index, 0, sent.passes.size(), moment.by_probe});
}

void Repairs::expect(const Finding& finding) {
  SendGroup& of = schedule_.group(finding.group);
  if (is_negligible(finding.share, of) || finding.time > longest_) return;
  if (finding.attempt == 0 || !is_found_together(of, finding)) findings_.push(finding);
}

/// Whether the share is counted with what is awaited at about the same time; if not, it is from now on.
bool Repairs::is_found_together(SendGroup& of, const Finding& finding) const {
  const double together = discovery_.times().report_interval / 4;
  const auto begin = of.awaited.begin() + of.found;
  auto place = std::partition_point(begin, of.awaited.end(), [&](const SendGroup::Awaited& each) {
    return each.time - finding.time < together;
  });
  for (auto other = place; other != begin && finding.time - other[-1].time < together;) {
    --other;
    if (other->attempt == finding.attempt) {
      other->share += finding.share;
      return true;
    }
    if (other->time > finding.time) place = other;
  }
  of.awaited.insert(place, {finding.time, finding.share, finding.attempt});
  return false;
}

void Repairs::find_next() {
  Finding found = findings_.top();
  findings_.pop();
  SendGroup& of = schedule_.group(found.group);
  if (found.attempt > 0)
    found.share = take_awaited(of, found.attempt);
  else if (found.passes != of.passes.size())
    return;
  const double lacking = found.share;
  const bool certain = found.by_probe || schedule_.kind_of(of).segments == 1;
  if (!certain) found.share *= 1 - schedule_.path.loss;
  if (found.attempt == 0) of.undetected -= found.share;
  repair(found);
  found.share = lacking - found.share;
  found.time += discovery_.times().report_interval;
  expect(found);
}

void Repairs::repair(const Finding& found) {
  SendGroup& of = schedule_.group(found.group);
  const ProtectedMessages& kind = schedule_.kind_of(of);
  if (kind.is_coded()) {
    repair_blocks(found);
    return;
  }
  int copies = repairs_of_one_[found.attempt == 0 ? 0 : 1];
  const double between = std::max(kind.per_rank * kind.segment_seconds, 1e-12);
  const double told_at_once =
      std::min<double>(kind.segments, discovery_.times().report_interval / between) * schedule_.path.loss;
  if (found.attempt == 0 && told_at_once > schedule_.protocol.timing.few_repairs) copies = 1;
  const auto window = schedule_.link.send(found.time, copies * found.share * of.parts * kind.segment_seconds);
  double left = found.share;
  double last_sent = 0;
  for (int i = 0; i < copies; ++i) {
    const double spaced = window.at(0.5 / copies) + i * discovery_.times().copy_spacing;
    last_sent = std::max(window.at((i + 0.5) / copies), spaced);
    const double before = left;
    left *= schedule_.lost(i);
    schedule_.arrive(of, before - left, last_sent + schedule_.path.round_trip / 2);
  }
  await_again(found, last_sent, left);
}

void Repairs::repair_blocks(const Finding& found) {
  SendGroup& of = schedule_.group(found.group);
  const auto& repairs = of.outcome->repairs;
  const RepairAttempt& attempt =
      repairs[std::min(static_cast<std::size_t>(found.attempt), repairs.size() - 1)];
  const double seconds = attempt.sends * found.share * of.parts * schedule_.kind_of(of).segment_seconds;
  const auto window = schedule_.link.send(found.time, seconds);
  const double left = found.share * attempt.still;
  schedule_.arrive(of, found.share - left, window.at(0.75) + schedule_.path.round_trip / 2);
  const double seen = left * attempt.seen;
  expect({discovery_.again(found.time, window.at(1), true), seen, found.group,
          attempt_after(of, found.attempt), 0, false});
  await_again(found, window.at(1), left - seen);
}

/// All copies of a repair were lost.
void Repairs::await_again(const Finding& repaired, double last_sent, double share) {
  const SendGroup& of = schedule_.group(repaired.group);
  if (is_negligible(share, of)) return;
  const ProtectedMessages& kind = schedule_.kind_of(of);
  const bool first = repaired.attempt == 0;
  const int next = attempt_after(of, repaired.attempt);
  const auto expect_at = [&](double time, double part) {
    expect({time, part, repaired.group, next, 0, false});
  };
  if (kind.segments == 1) {
    const double timeout = discovery_.times().probe_timeout;
    const double report = discovery_.single_told(of.passes.front().sent);
    // This rank's acknowledgement of the peer's message, the peer's report, and the peer's message itself
    // arrived.
    const double arrives = 1 - schedule_.path.loss;
    const double told = first && report > last_sent ? arrives * arrives * of.heard : 0;
    expect_at(report + timeout, share * told);
    expect_at(last_sent + timeout, share * (1 - told));
    return;
  }
  if (!first) {
    expect_at(discovery_.again(repaired.time, last_sent, false), share);
    return;
  }
  // Repairs of others, and reports about the peer's message, keep the receiver's reports coming.
  const double alone = std::pow(of.heard, 2 * kind.segments - 1);
  const double last_arrival = of.passes.back().sent + schedule_.path.round_trip / 2 +
                              (kind.segments - 1 - of.turn) * kind.per_rank * kind.segment_seconds;
  expect_at(discovery_.again(repaired.time, last_sent, false), share * (1 - alone));
  expect_at(discovery_.again_alone(repaired.time, last_sent, last_arrival), share * alone);
}

}  // namespace lbsp::model::superstep
