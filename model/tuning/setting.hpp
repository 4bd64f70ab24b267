#pragma once

#include "model/tuning/tuner.hpp"

namespace lbsp::model::tuning {

/// The time of one setting, estimated (superstep_time.hpp) …
Setting estimate(const Program& program, double sequential_seconds, const PacketPath& path,
                 const Protection& protection);
/// … and by the time line (superstep_line.hpp).
Setting evaluate(const Program& program, double sequential_seconds, const PacketPath& path,
                 const Protection& protection);

inline bool faster(const Setting& a, const Setting& b) {
  return a.seconds < b.seconds;
}

/// Some message takes more than one packet, so that a code could protect it.
bool has_long_messages(const Program& program, double packet_bytes);

/// The best protections of one program on one path, estimated.
struct EstimatedBest {
  Setting copies;                ///< copies only
  std::optional<Setting> coded;  ///< coded packets for long messages; none if there are none
  const Setting& best() const { return coded && faster(*coded, copies) ? *coded : copies; }
};
EstimatedBest estimated_best(const Program& program, const PacketPath& path, const TuningQuestion& question);

/// The best by the time line, found from the estimated ones.
Setting refined_best(const Program& program, const PacketPath& path, const TuningQuestion& question);

}  // namespace lbsp::model::tuning
