#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "transport/rate/rate_epoch.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Finds out whether what is lost while no queue grows is lost because of the rate, as before a policer or a queue of a
/// few datagrams, and then keeps the rate just below what is carried.
///
/// A little loss that lasts is judged by a trial: some epochs at the rate, then as many at one that is lower by what is
/// lost. Those that made the rate doubtful were bad ones, so they do not count. If no less is lost of the lower rate,
/// the loss is the path's own. If most of it is saved, the lower rate is the ceiling: what the rate finder's steps end
/// at. (Where others flood the link, too, little is saved.) Above it the rate rises by small steps, after ever longer
/// waits. A policer's bucket forgives some epochs of too much, so a step is held for long, and undone with the first
/// significant loss. The steps grow as long as they are carried, until no ceiling is left.
///
/// (Ceilings that loss sets, and rare probes above them: BBRv3's inflight_hi; trials of rates in pairs: PCC Vivace.)
class PolicedRate {
 public:
  /// Takes an epoch at `rate`, while no queue bounds it. Returns the rate to go on with.
  BytesPerSecond judge(const RateEpoch& epoch, BytesPerSecond rate);
  /// A rise has failed, or a fall has helped, because of loss: from now on `rate` is in use. Trials make sense from
  /// then on. If that happens again before a rise has held, no trial is needed.
  void too_high(BytesPerSecond rate);
  /// This rate is carried for long.
  void held(BytesPerSecond rate) {
    if (rate > returned_to_) failures_ = 0;
  }
  /// Another rate is used from now on, or a queue decides.
  void interrupt();

  /// No other than judge() may raise this rate.
  bool holds(BytesPerSecond rate) const { return on_trial() || (ceiling_ && rate >= *ceiling_); }
  std::optional<BytesPerSecond> ceiling() const { return ceiling_; }
  /// A lower rate is on trial, or is about to be.
  bool on_trial() const { return trial_ && trial_->at_rate.epochs == epochs_of_each; }

 private:
  static constexpr std::size_t epochs_of_each = 4;

  /// The mean of some epochs' loss.
  struct Mean {
    void add(const RateEpoch& epoch);
    double error() const;

    double loss = 0;
    double each_error = 0;
    std::size_t epochs = 0;
  };
  struct Trial {
    BytesPerSecond before;
    BytesPerSecond lower_rate;
    Mean at_rate = {};
    Mean lower = {};
  };
  /// The last epochs at this rate.
  struct Recent {
    void add(const RateEpoch& epoch) { epochs[count++ % epochs.size()] = epoch; }
    bool full() const { return count >= epochs.size(); }
    Mean mean() const;
    bool steady() const;  ///< of a full one

    std::array<RateEpoch, epochs_of_each> epochs{};
    std::size_t count = 0;
  };

  bool exceeds_own(const Mean& seen) const;
  BytesPerSecond doubt(BytesPerSecond rate);
  BytesPerSecond go_on_above(BytesPerSecond rate);
  BytesPerSecond go_on_with_trial(const RateEpoch& epoch);
  BytesPerSecond verdict(Trial trial);
  void begin_ceiling(BytesPerSecond rate);

  Recent recent_;
  double own_loss_ = 0;            ///< of the path
  double most_own_loss_ = 0;       ///< that a trial has shown
  bool limited_ = false;           ///< a rate was too high because of loss
  int failures_ = 0;               ///< since a higher rate has held …
  BytesPerSecond returned_to_{0};  ///< … than this one, which followed the last
  std::optional<Trial> trial_;
  std::optional<BytesPerSecond> ceiling_;
  std::optional<BytesPerSecond> before_step_;
  double step_ = 0;        ///< a part of the rate
  std::size_t wait_ = 0;   ///< epochs before the next step
  std::size_t quiet_ = 0;  ///< epochs without a complaint, at this rate
};

}  // namespace lbsp::transport
