#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "model/superstep/protocol.hpp"
#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

/// How many coded segments to send for a block that lacks `lacking` of them, after `earlier` repairs: the least
/// number of which at least `lacking` arrive, except with about the rule's probability (normal approximation of the
/// binomial distribution). At least `lacking`. It is the N(d) of a Markov chain d → d - arrivals.
int repairs_for(const RepairRule& rule, int lacking, int earlier, double loss);

/// How many coded segments a block of `data` segments may have with the spare ones, if it is one of so many blocks
/// that somebody waits for. The number of losses varies `dispersion` times as much as if they were independent.
int most_coded_segments(const RepairRule& rule, int data, double blocks, double loss, double dispersion);

/// One repair of a block that lacks something.
struct RepairAttempt {
  double sends = 0;  ///< coded segments, on average
  double still = 0;  ///< probability that it lacks something afterwards
  double seen = 0;   ///< probability that some of the repair has arrived, given that the block still lacks
};

/// What happens to a block of `data` segments that was sent with `coded` coded segments.
struct BlockOutcome {
  /// Probability that it lacks something when data + i segments have gone, i = 0 … coded.
  std::vector<double> lacking_after;
  /// Its repairs, each given that those before did not suffice; any further are like the last.
  std::vector<RepairAttempt> repairs;
};

/// How much more the number of lost segments varies than if losses were independent: bursts hit some blocks hard and
/// spare others.
double dispersion_of(const Path& path);

/// The outcomes of blocks on one path. Losses have the probability p and are independent, except that the
/// variance of their number is dispersion_of() times the binomial's. Each outcome is computed once, and what repairs
/// do once for all of them.
class BlockOutcomes {
 public:
  BlockOutcomes(const Path& path, const RepairRule& rule)
      : loss_(path.loss), dispersion_(dispersion_of(path)), rule_(rule) {}

  /// The result stays in its place as long as this object exists.
  const BlockOutcome& of(int data, int coded);

 private:
  /// What a repair does to a block that lacks some number of segments.
  struct Repair {
    double sends = 0;
    double nothing = 0;          ///< probability that all of it is lost
    std::vector<double> leaves;  ///< [i]: probability that the block lacks i segments then
  };

  BlockOutcome outcome(int data, int coded);
  RepairAttempt repair(std::vector<double>& lack, int earlier);
  const Repair& repair_of(int lacking, int earlier);

  double loss_;
  double dispersion_;
  RepairRule rule_;
  std::map<std::pair<int, int>, BlockOutcome> known_;
  std::array<std::vector<Repair>, 2> repairs_;  ///< the first, and any later one; by what lacks
};

}  // namespace lbsp::model::superstep
