#pragma once

#include <cstdint>

#include "transport/redundancy.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Measures the loss of the datagrams of one direction from the gaps in their numbers. Every datagram weighs
/// less than the next: about the last `memory` count.
class LossEstimate {
 public:
  static constexpr double memory = 2000;

  /// The datagram with the largest number so far has arrived, and the `lost` numbers just before it have not.
  void newest_arrived(std::uint64_t lost);
  /// A datagram that was taken to be lost has arrived after all.
  void late_arrived();

  /// Takes no more than this part of the datagrams to be lost.
  void limit(double most);

  /// What has been measured counts for so many datagrams at most, against those to come.
  void doubt(double datagrams);

  LossReport report() const;

 private:
  void scale_losses(double part);

  double datagrams_ = 0;
  double lost_ = 0;
  double after_loss_ = 0;       ///< datagrams that follow a lost one …
  double lost_after_loss_ = 0;  ///< … and are lost themselves
};

/// What a number in a LossReport stands for, as a part of 1.
constexpr double from_fraction(std::uint16_t fraction) {
  return fraction / static_cast<double>(UINT16_MAX);
}

/// What a sender may expect of a path: the receiver's report of `sample` datagrams, with a prior for what few
/// datagrams cannot tell (the mean of a Beta distribution). `prior.loss_sample` is the prior's weight in
/// datagrams.
PathForecast with_prior(const LossReport& report, std::uint64_t sample, const PathForecast& prior);

/// Before anything is known: 5 %, independent, with the weight of 20 datagrams.
PathForecast default_prior();

/// The prior of a path that has lost `lost` of the `packets` since the beginning: those that its report has forgotten
/// tell too. They only make it better, as a path that once was bad may have become a good one.
PathForecast prior_with_past(PathForecast prior, const LossReport& report, std::uint64_t packets,
                             std::uint64_t lost);

/// What the paths of one rank have shown together. They share its access link and often more, so that each
/// is expected to be like the others until its own datagrams tell (the prior's mean is the others', as in
/// empirical Bayes; its weight stays that of 20 datagrams).
class SharedLoss {
 public:
  /// A path's report, of `sample` datagrams.
  void add(const LossReport& report, std::uint64_t sample);
  /// The prior of a path that was added with these: what the others say, and the default prior of them all.
  PathForecast prior_beside(const LossReport& report, std::uint64_t sample) const;
  /// How likely it still is that the paths lose anything at all, beside how likely it was before anything was measured:
  /// many lose nothing. 1 if any was lost, and 0 if none of 300 was.
  double loses_anything() const;

 private:
  double datagrams_ = 0;
  double lost_ = 0;
};

}  // namespace lbsp::transport
