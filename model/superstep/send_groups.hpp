#pragma once

#include <cstddef>
#include <vector>

#include "model/superstep/block_repair.hpp"
#include "model/superstep/loss_discovery.hpp"
#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

/// Neighbours in a rank's passes over the messages of a kind, segments or coded blocks: what happens to one
/// happens to all at about the same time.
struct SendGroup {
  int kind = 0;
  double parts = 1;           ///< segments or blocks, that one rank sends
  double weight = 1;          ///< of all ranks together
  int turn = 0;               ///< the part's last segment's place in its message
  double peers_before = 0;    ///< messages of the kind that are served before in a turn
  int blocks = 1;             ///< of a message, one sent after the other
  double block_segments = 1;  ///< data segments of each, on average
  bool is_protected = true;
  const BlockOutcome* outcome = nullptr;  ///< of a block; none: a segment

  double first_sent = 0;  ///< the message's first segment
  struct Pass {
    double sent;
    double arrived;  ///< the share that is there thanks to it
  };
  std::vector<Pass> passes;
  double heard = 0;         ///< probability that some copy has arrived of what went in all these passes
  double missing = 1;       ///< q: probability that a part is not there
  double undetected = 0;    ///< and nobody has found it lost
  double log_complete = 0;  ///< weight·ln(1-q)
  int generation = 0;       ///< passes; a finding about an earlier one is void

  /// Parts that a repair did not complete, of which the sender learns then.
  struct Awaited {
    double time;
    double share;  ///< of the group's parts
    int attempt;   ///< repairs before, 1 or more
  };
  std::vector<Awaited> awaited;  ///< in the order of time …
  std::ptrdiff_t found = 0;      ///< … of which so many have been found

  /// What arrived thanks to passes after `sent`.
  double arrived_since(double sent) const;
  LostPart as_lost_part(const ProtectedMessages& of, double loss) const;
};

/// The groups of one kind. They take no longer to send than an eighth of a round trip, as far as 24 suffice.
/// Blocks keep pointing to `outcomes`, which must be those of that path.
void append_send_groups(std::vector<SendGroup>& groups, const ProtectedMessages& kind, int index,
                        double ranks, const Path& path, const Protocol& protocol, BlockOutcomes& outcomes);

}  // namespace lbsp::model::superstep
