#pragma once

#include <boost/container/static_vector.hpp>

#include "model/superstep/protocol.hpp"

namespace lbsp::model::superstep {

/// A part of a message (a segment, or a coded block), of which too little has arrived, as it lies in the time
/// line. Seconds from the begin of the leg.
struct LostPart {
  double sent = 0;        ///< its last datagram
  double first_sent = 0;  ///< of the message
  double between = 0;     ///< between two datagrams to the same peer
  int later = 0;          ///< datagrams of the message in the same pass after it
  double before = 0;      ///< datagrams of the message before it, all passes
  double nothing = 0;     ///< probability that nothing at all of the message has arrived
  bool probed = false;    ///< the sender's probe would send it again: the message's first or last
};

/// When a sender learns that a part was lost: some moments, each with its probability, given that the report
/// which tells it arrives (which it does with 1-p; the next comes a report interval later).
struct Moment {
  double time;
  double probability;
  bool by_probe;  ///< needs no report
};
using Discovery = boost::container::static_vector<Moment, 6>;

/// The timing of the receiver-driven protocol on one path.
class LossDiscovery {
 public:
  LossDiscovery(const Path& path, const Protocol& protocol)
      : round_trip_(path.round_trip),
        loss_(path.loss),
        timing_(protocol.timing),
        times_(ProtocolTimes::of(path, protocol.timing)) {}

  const ProtocolTimes& times() const { return times_; }
  /// Lost in a pass, by packet numbers or by time. Of a message of one segment nothing is known until the probe.
  Discovery in_pass(const LostPart& part) const;
  /// Repairs that went out from `ready` to `last_sent` were lost too: all of them while datagrams keep coming,
  /// or not all, so that the packet numbers of those that were `seen` tell of the others …
  double again(double ready, double last_sent, bool seen) const;
  /// … or none has come since `last_arrival`, so that the receiver reports less and less often.
  double again_alone(double ready, double last_sent, double last_arrival) const;
  /// The report about a message of one segment that puts off the sender's second probe.
  double single_told(double first_sent) const;

 private:
  /// When the receiver tells what it can know from `evidence` on, if its first report is at `report`.
  double told(const LostPart& part, double report, double evidence) const;
  void add_told(Discovery& to, const LostPart& part, double report, double evidence,
                double probability) const;

  double round_trip_;
  double loss_;
  Timing timing_;
  ProtocolTimes times_;
};

}  // namespace lbsp::model::superstep
