#pragma once

#include <algorithm>

#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

/// How many segments go out for a block that lacks some: so many that they are not enough with this
/// probability only. A segment of a message that is not coded counts as a block of one.
struct RepairRule {
  double first_residual = 0.5;  ///< for the first repair of a block
  double later_residual = 0.5;  ///< for any other
  /// With the spare coded segments, which follow when everything has been sent, some block of a superstep is not
  /// complete with this probability only. 1: there are none.
  double spare_residual = 1;
};

/// The most of each that a message may have.
struct Limits {
  int block_segments = 1;   ///< data segments of a coded block
  int repair_segments = 1;  ///< coded segments of a block
  int copies = 1;
};

/// The bytes that are sent besides a program's values.
struct Framing {
  double datagram = 0;  ///< in each datagram
  double message = 0;   ///< in each message, also in an empty one
  double record = 0;    ///< with the values of a message
};

/// A time in seconds that follows a path's round trip: a share of it, within bounds.
struct ShareOfRoundTrip {
  double share;
  double least;
  double most;

  double of(double round_trip) const { return std::clamp(share * round_trip, least, most); }
};

/// When the protocol tells of lost segments and sends them again; in seconds.
struct Timing {
  ShareOfRoundTrip reordering_window;      ///< how long a receiver waits for what was overtaken
  ShareOfRoundTrip report_interval;        ///< between two reports of a receiver that lacks something
  ShareOfRoundTrip acknowledgement_delay;  ///< before a receiver says that everything has arrived
  ShareOfRoundTrip copy_spacing;           ///< between two copies, or two repairs, of a segment
  double loss_delay_share;       ///< of the round trip, after which a datagram without an echo is lost …
  double loss_delay_slack;       ///< … with this added
  double timer_granularity;      ///< the least that a timeout allows for a round trip's variation
  double hold_share;             ///< of the reordering window, after which a hold counts as over
  int datagrams_per_report;      ///< a report comes after so many at the latest
  int reports_before_backoff;    ///< after so many without progress the interval doubles with each
  int packet_threshold;          ///< a datagram is lost when one sent so many later was echoed
  int few_repairs;               ///< of more lost segments in one report, each goes out once
  double unheard_round_trips;    ///< what was sent later than so long ago no report can have told of …
  double spare_round_trips;      ///< … and gets spare segments for so long
  double idle_burst;             ///< what may go at once after idle time: the bytes of this time …
  double least_burst_datagrams;  ///< … and at least so many datagrams, if these take …
  double longest_burst;          ///< … no longer than this
};

/// The parts of the receiver-driven protocol that decide when lost segments are sent again, and how many. The
/// caller tells the model all of them: lbsp/plan/protocol.hpp.
struct Protocol {
  Limits limits;
  Framing framing;
  RepairRule repairs;
  Timing timing;
  double farewell_round_trips = 0;  ///< after a job's last superstep, until no rank needs anything of another
};

/// The timeouts that follow from it for one path.
struct ProtocolTimes {
  double reordering_window, report_interval, acknowledgement_delay, copy_spacing;  ///< as Timing has them
  double loss_delay;     ///< after which a datagram without an echo is lost
  double probe_timeout;  ///< after which a sender that hears nothing sends again

  static ProtocolTimes of(const Path& path, const Timing& timing) {
    const double round_trip = path.round_trip;
    const double variation = std::max(4 * path.round_trip_variation, timing.timer_granularity);
    const double acknowledgement_delay = timing.acknowledgement_delay.of(round_trip);
    return {.reordering_window = timing.reordering_window.of(round_trip),
            .report_interval = timing.report_interval.of(round_trip),
            .acknowledgement_delay = acknowledgement_delay,
            .copy_spacing = timing.copy_spacing.of(round_trip),
            .loss_delay = timing.loss_delay_share * round_trip + timing.loss_delay_slack,
            .probe_timeout = round_trip + variation + acknowledgement_delay};
  }
};

}  // namespace lbsp::model::superstep
