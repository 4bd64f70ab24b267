#pragma once

namespace lbsp::model {

/// Losses that come in bursts: a path is in a good or in a bad state and may change with every packet slot
/// (Gilbert 1960, Elliott 1963).
struct GilbertElliott {
  double to_bad = 0;     ///< the probability to go from good to bad in one slot
  double to_good = 1;    ///< and back
  double good_loss = 0;  ///< the loss while good
  double bad_loss = 1;   ///< the loss while bad

  /// The simple process (nothing lost while good, all while bad) with this loss, whose runs of losses have
  /// this mean length in slots. A mean of 1/(1-loss) makes the losses independent. Throws
  /// std::invalid_argument for a loss outside [0, 1) and for means that no such process has: less than 1, or
  /// than loss/(1-loss).
  static GilbertElliott from_burst(double loss, double mean_burst);

  /// In the long run.
  double loss() const;
  /// The probability that a packet is lost that goes `spacing` slots after one that was lost. Tends to
  /// loss().
  double loss_after_loss(double spacing) const;
  /// The probability that `copies` packets, each `spacing` slots after the one before, are all lost.
  double all_lost(int copies, double spacing) const;
};

/// All of k copies are lost, when each after the first is lost with `loss_after_loss` given that the one
/// before was.
double all_copies_lost(double loss, double loss_after_loss, int copies);

/// The loss with which `copies` independent copies would all be lost as often: u^(1/k). Every formula of this
/// folder that takes a loss then holds for copies that are not independent, one value for each k.
double equivalent_loss(double all_copies_lost, int copies);

}  // namespace lbsp::model
