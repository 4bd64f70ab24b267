#pragma once

#include <cstddef>
#include <optional>

#include "transport/finder/path_loss.hpp"
#include "transport/finder/policed_trial.hpp"
#include "transport/finder/rate_epoch.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Finds out whether what is lost while no queue grows is lost because of the rate, as before a policer or a queue of a
/// few datagrams, and then keeps the rate just below what is carried.
///
/// Loss beyond the path's own cuts the rate to just below what came through, and that is a trial. If hardly anything
/// is saved, not even at a rate that is lower by a third, the loss is the path's own, and the rate returns; that is
/// asked again at such a rate after ever longer times, as others may have been there. If more is lost, others have
/// come, and the trial begins anew. Else the lower rate is a ceiling: what the rate finder's steps end at. Above it
/// the rate rises by small steps, after ever longer waits. A policer's bucket forgives some epochs of too much, so a
/// step is held for long, and undone with the first significant loss. The steps grow as long as they are carried,
/// until no ceiling is left.
///
/// Loss at a ceiling means that others send through the same policer. Nobody knows how many. All see the same part
/// lost, so all cut by that and a little more, and then rise by about the same amount in the same time: so they come to
/// similar rates (Chiu and Jain, 1989). What they add is a part of the most that came through of late, which is about
/// the same for all, too. After a flood they begin anew (PolicedSharing).
///
/// (Ceilings that loss sets, and rare probes above them: BBRv3's inflight_hi; trials of rates in pairs: PCC Vivace.)
class PolicedRate {
 public:
  /// Takes an epoch at `rate`, while no queue bounds it. Returns the rate to go on with.
  BytesPerSecond judge(const RateEpoch& epoch, BytesPerSecond rate);
  /// A rise has failed, or a fall has helped, because of loss: from now on `rate` is in use. Trials make sense from
  /// then on. If that happens again before a rise has held, no trial is needed.
  void too_high(BytesPerSecond rate);
  /// A rise has been undone that a bucket may have forgiven for a while: up to so much may be lost by this rank alone
  /// at the rate that follows, until hardly anything is.
  void may_lose(double left) { left_ = left; }
  /// A fall has made the loss less, as the next epoch that is judged has shown: much loss is not waited with. `left`:
  /// what a rank that is alone there still loses, as it has not fallen to what came through.
  void fell(double left = 0) {
    limited_ = fallen_ = decided_ = true;
    left_ = left;
  }
  /// This rate is carried for long.
  void held(BytesPerSecond rate) {
    if (rate > returned_to_) failures_ = 0;
  }
  /// Another rate is used from now on, or a queue decides.
  void interrupt();

  /// No other than judge() may raise this rate.
  bool holds(BytesPerSecond rate) const { return on_trial() || (ceiling_ && rate >= *ceiling_); }
  std::optional<BytesPerSecond> ceiling() const { return ceiling_; }
  /// A lower rate is on trial.
  bool on_trial() const { return trial_ || asked_from_; }
  /// Loss has depended on the rate.
  bool limited() const { return limited_; }
  /// Of so much this decides, if limited(); of more the rate finder, until it is known whose it is.
  bool handles(double loss) const { return proven_ || fallen_ || loss <= most_of_path; }
  /// Of late, since limited(); 0: nothing.
  BytesPerSecond most_through() const { return {most_through_}; }
  /// The path's, as far as trials have shown it.
  double own_loss() const { return own_.seen.loss; }

 private:
  /// More loss than this may be that of others who flood the link, as far as anybody knows.
  static constexpr double most_of_path = 0.3;

  BytesPerSecond doubt(BytesPerSecond rate, const LossMean& seen);
  BytesPerSecond cut(BytesPerSecond rate, const LossMean& seen);
  BytesPerSecond cut_to(BytesPerSecond lower, BytesPerSecond rate);
  void learn_own(const RateEpoch& epoch);
  BytesPerSecond ask(BytesPerSecond rate);
  BytesPerSecond go_on_asking(BytesPerSecond rate, const LossMean& seen);
  BytesPerSecond go_on_with_trial(BytesPerSecond rate, const LossMean& seen);
  BytesPerSecond wait_for_end_of_flood(BytesPerSecond rate, const LossMean& seen);
  BytesPerSecond begin_steps(BytesPerSecond rate);
  BytesPerSecond return_to_first_cut();
  BytesPerSecond return_from_trial(const LossMean& seen);
  void blame_path(const LossMean& seen);
  BytesPerSecond go_on_above(BytesPerSecond rate);
  BytesPerSecond step_beside_others(BytesPerSecond rate);
  BytesPerSecond grow(BytesPerSecond rate);
  void begin_ceiling(BytesPerSecond rate);

  RecentLoss recent_;
  PathLoss own_;
  bool limited_ = false;  ///< a rate was too high because of loss …
  bool fallen_ = false;   ///< … as a fall has shown
  double left_ = 0;       ///< by that: so much loss is no sign of others
  bool decided_ = false;  ///< the next epoch has decided on the fall, and is no evidence besides
  bool proven_ = false;   ///< a trial has shown that the loss is the rate's
  bool others_ = false;   ///< send through the same policer …
  bool steps_ = false;    ///< … and rise after a flood, as this rank does
  BytesPerSecond cut_from_{0};
  double most_through_ = 0;        ///< of late, bytes per second
  int failures_ = 0;               ///< since a higher rate has held …
  BytesPerSecond returned_to_{0};  ///< … than this one, which followed the last
  std::optional<PolicedTrial> trial_;
  std::optional<BytesPerSecond> asked_from_;  ///< a lower rate shows what is the path's own
  std::optional<BytesPerSecond> ceiling_;
  std::optional<BytesPerSecond> before_step_;
  double step_ = 0;        ///< a part of the rate
  std::size_t wait_ = 0;   ///< epochs before the next step
  std::size_t quiet_ = 0;  ///< epochs without a complaint, at this rate
};

}  // namespace lbsp::transport
