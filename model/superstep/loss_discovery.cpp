#include "model/superstep/loss_discovery.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::model::superstep {

Discovery LossDiscovery::in_pass(const LostPart& part) const {
  Discovery discovery;
  const double arrival = part.sent + round_trip_ / 2;
  const double first_arrival = part.first_sent + round_trip_ / 2;
  // Nothing has arrived: only the sender's probe finds it, with the first and the last segment.
  const double probe = part.sent + part.later * part.between + times_.probe_timeout;
  const double probe_sends_it = part.probed ? probe : probe + round_trip_ + times_.reordering_window;
  discovery.push_back({probe_sends_it, part.nothing, true});
  if (part.nothing >= 1) return discovery;

  double evidence = arrival + times_.loss_delay - round_trip_;
  if (part.later >= timing_.packet_threshold) {
    evidence = std::min(evidence, arrival + timing_.packet_threshold * part.between);
  } else if (part.later >= 1) {
    evidence = std::min(evidence,
                        arrival + part.later * part.between + timing_.hold_share * times_.reordering_window);
  }
  // The first report comes when the receiver sees the first gap: this one's, or one before. The last datagram
  // makes none.
  const double no_earlier = std::pow(1 - loss_, part.before);
  const double unasked = first_arrival + times_.report_interval;
  const double own = arrival + part.between + times_.reordering_window;
  add_told(discovery, part, part.later >= 1 ? std::min(unasked, own) : unasked, evidence,
           (1 - part.nothing) * no_earlier);
  if (part.before > 0 && no_earlier < 1) {
    const double survivors = (1 - no_earlier) / loss_;
    const double place = (survivors - part.before * no_earlier) / (1 - no_earlier) / part.before;
    const double seen = first_arrival + place * (arrival - first_arrival) + part.between;
    add_told(discovery, part, std::min(unasked, seen + times_.reordering_window), evidence,
             (1 - part.nothing) * (1 - no_earlier));
  }
  return discovery;
}

/// The probe goes out unless a report was heard before.
void LossDiscovery::add_told(Discovery& to, const LostPart& part, double report, double evidence,
                             double probability) const {
  const double half = round_trip_ / 2;
  const double time = told(part, report, evidence) + half;
  if (!part.probed) {
    to.push_back({time, probability, false});
    return;
  }
  const double probe = part.sent + part.later * part.between + times_.probe_timeout;
  const double silent = probe - report - half;
  const double unheard = silent > 0 ? std::pow(loss_, 1 + std::floor(silent / times_.report_interval)) : 1;
  to.push_back({time, probability * (1 - unheard), false});
  to.push_back({std::min(probe, time), probability * unheard, probe <= time});
}

double LossDiscovery::told(const LostPart& part, double report, double evidence) const {
  if (report >= evidence) return report;
  const double steps = (evidence - report) / times_.report_interval;
  // Later ones are no longer in step with the first: losses and full windows bring reports forward.
  if (steps <= 3) return report + std::ceil(steps) * times_.report_interval;
  const bool streaming = part.sent - part.first_sent > 2 * times_.report_interval;
  const double interval = streaming
                              ? std::min(times_.report_interval, timing_.datagrams_per_report * part.between)
                              : times_.report_interval;
  return evidence + interval / 2;
}

double LossDiscovery::single_told(double first_sent) const {
  return first_sent + 1.5 * round_trip_ + times_.acknowledgement_delay + times_.reordering_window;
}

double LossDiscovery::again(double ready, double last_sent, bool seen) const {
  const double needed = last_sent - ready + (seen ? round_trip_ : times_.loss_delay);
  return ready + std::ceil(needed / times_.report_interval) * times_.report_interval;
}

double LossDiscovery::again_alone(double ready, double last_sent, double last_arrival) const {
  // In report intervals since the last arrival.
  double report = std::max(1., std::ceil((ready - round_trip_ / 2 - last_arrival) / times_.report_interval));
  const double needed = last_sent - ready + times_.loss_delay;
  const double wanted = report + needed / times_.report_interval;
  for (double step = 1; report < wanted;) {
    report += step;
    if (report > timing_.reports_before_backoff) step *= 2;
  }
  return ready + needed + (report - wanted) * times_.report_interval;
}

}  // namespace lbsp::model::superstep
