#pragma once

namespace lbsp::model::superstep {

/// How many segments go out for a block that lacks some. A segment of a message that is not coded counts as a
/// block of one. The number is either a multiple of what lacks, or one that is enough except with a residual
/// probability.
struct RepairRule {
  int first_factor = 2;       ///< times what lacks, for the first repair
  int later_factor = 3;       ///< for later repairs
  int few = 32;               ///< if more lack, each goes out once
  double first_residual = 0;  ///< 0: the factors apply
  double later_residual = 0;
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

/// The parts of the receiver-driven protocol that decide when lost segments are sent again, and how many. The
/// caller tells the model the limits, the framing and the rule (lbsp/plan/protocol.hpp). The times, in
/// seconds, are those of transport/core, each with its file beside it; docs/protocol.md explains them.
struct Protocol {
  explicit Protocol(const Limits& most, const Framing& besides = {}, const RepairRule& rule = {})
      : limits(most), framing(besides), repairs(rule) {}

  Limits limits;
  Framing framing;
  RepairRule repairs;
  // transport/core/path_estimate.cpp; shares of the round trip, and their bounds
  double reordering_share = 1. / 16, least_reordering = 200e-6, most_reordering = 5e-3;
  double report_share = 1. / 8, least_report = 1e-3, most_report = 25e-3;
  double acknowledgement_share = 1. / 8, least_acknowledgement = 1e-3, most_acknowledgement = 5e-3;
  double spacing_share = 1. / 16, most_spacing = 2e-3;
  double loss_delay_share = 9. / 8, loss_delay_slack = 200e-6;
  double timer_granularity = 2e-3;
  // transport/core/receiver_driven.cpp
  int datagrams_per_report = 64;
  int reports_before_backoff = 8;
  // transport/core/loss_detection.cpp
  int packet_threshold = 3;
  double hold_share = 7. / 8;  ///< of the reordering window, after which a hold counts as over
  // transport/core/repairs.cpp
  int few_repairs = 32;  ///< of more lost segments in one report, each goes out once
  // transport/core/pacer.hpp
  double idle_burst = 500e-6;
  double least_burst_datagrams = 4;
};

/// The timeouts that follow from it for one path.
struct ProtocolTimes {
  double reordering_window;      ///< how long a receiver waits for what was overtaken
  double report_interval;        ///< between two reports of a receiver that lacks something
  double acknowledgement_delay;  ///< before a receiver says that everything has arrived
  double copy_spacing;           ///< between two copies, or two repairs, of a segment
  double loss_delay;             ///< after which a datagram without an echo is lost
  double probe_timeout;          ///< after which a sender that hears nothing sends again

  static ProtocolTimes of(double round_trip, double variation, const Protocol& protocol);
};

}  // namespace lbsp::model::superstep
