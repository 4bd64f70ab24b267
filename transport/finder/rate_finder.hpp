#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "transport/finder/policed_rate.hpp"
#include "transport/finder/rate_epoch.hpp"
#include "transport/finder/rate_trial.hpp"
#include "transport/finder/usual_path.hpp"
#include "transport/paths/heavy_loss.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Finds the rate at which a rank can send, up to a most. On a path with random loss, loss alone says nothing of the
/// rate; what does is that datagrams sent over a time t arrive over a longer time, as a queue fills before the
/// narrowest link, or that more are lost than otherwise, as that queue overflows.
///
/// Decisions are made on epochs, about `packets_per_epoch` datagrams each:
/// - the part of the rate that came through, less the usual loss, is measured: (arrived / sent) /
///   (1 - usual loss) / (arriving / sending). If the median of three is too low, or two are far too low, the
///   network does not carry the rate, which falls to what it carried. Queues of less than a usual delay do
///   not count.
/// - such a fall is a trial. If the network was not congested, the rate returns, and that loss and delay are usual
///   from then on. (Trying rather than guessing: PCC, Dong et al., NSDI 2015.)
/// - more than 30 % of loss is not usual before a trial at a quarter of the rate has shown that it does not become less
///   (HeavyLoss).
/// - else the rate rises by a quarter: at first after every epoch, once it was too high after ever longer
///   waits, and back at once if the network does not carry that.
///
/// A rate that begins as high as it may become has been told. It gets the benefit of the doubt: it falls only if
/// chance, as the losses come in runs and delays vary, does not explain what is missed. In return its falls last:
/// one is undone only if no greater part of the lower rate comes through. A rate that has to be found returns if less
/// comes through than before. Where much was lost and a lower rate has helped, the told one is not believed any more:
/// it is looked for like one that nobody has told, and is believed again when it has been carried for a while.
///
/// Not a fair share with TCP by design: it yields to queues as delay-based controls do (RFC 6817), and to
/// loss only as far as sending less lowers it.
class RateFinder {
 public:
  static constexpr std::uint64_t packets_per_epoch = EpochMeter::packets_per_epoch;

  /// Begins with `first` and never exceeds `most`. `usual_loss` is what is expected of the path itself.
  RateFinder(BytesPerSecond first, BytesPerSecond most, double usual_loss);

  BytesPerSecond rate() const { return rate_; }
  /// The same, or that before the last rise, which the network may not carry.
  BytesPerSecond proven() const { return before_.value_or(rate_); }
  /// Nothing was sent for a while: a rate that was found is halved, but is no less than it began with. It then rises
  /// after every epoch, to what it was. Whether that changed the rate.
  bool fade();
  /// What has shown that no more than some rate is carried.
  enum class ShownBy : std::uint8_t {
    bursts,        ///< what the link carries at once: the rate rises from there as after fade()
    end_of_bound,  ///< nothing: a bound by a queue ends that was lower, and the rate rises likewise
    first_flight,  ///< what it carries: it rises as one that was found
    spill          ///< about what it carries, as much less was lost: told rates are not believed any more
  };
  /// A higher rate that was to be found becomes this one. Whether that changed the rate.
  bool lower_to(BytesPerSecond rate, ShownBy shown);
  /// A lower rate that was to be found becomes this one, which a bound has let go.
  void raise_to(BytesPerSecond rate);
  /// Takes a part of a train that was sent at rate(); returns whether that changed the rate.
  /// `bounded`: a queue decides on the rate.
  bool add(const TrainPart& part, bool bounded = false) {
    if (bounded) policed_.interrupt();
    return meter_.add(part) && close_epoch();
  }
  /// Datagrams of several trains, at rate(). They tell of a rate that was told: it may be so high that a train has gone
  /// before an echo can come. They tell of one that is found if it `holds_up` trains that are too short to tell
  /// anything else, of a datagram for each peer: it rises as long as no more is lost, unless it has been lower than at
  /// first, as before slow links. Whether that changed the rate.
  bool add_untimed(std::uint64_t sent, std::uint64_t arrived, bool holds_up) {
    const bool counts = told_ || (holds_up && (rate_ >= first_ || lower_ || policed_.on_trial()));
    const bool any_loss = !told_ || lower_;
    return counts && meter_.add_untimed(sent, arrived, HeavyLoss::least, any_loss) && close_epoch();
  }

  /// Returns to the rate before, if this one has risen and is not proven yet: a queue stands. Whether it has.
  bool undo_rise();

  /// The last epoch has undone a rise, because more was dropped although no queue grew: one may stand.
  bool dropped_without_queue() const { return dropped_without_queue_; }

  /// A rate is lower for some epochs only, to see whether less of it is lost.
  bool tries_loss() const { return policed_.on_trial(); }

  EpochMeter& meter() { return meter_; }

 private:
  static constexpr BytesPerSecond lowest_rate{8000};
  /// A queue that has filled empties again if a little less is sent than is carried.
  static constexpr double margin = 0.97;
  static constexpr std::size_t first_wait = 8;
  /// Beyond what is usual: more than chance, and no delays that vary.
  static constexpr double much_lost = 0.1;

  /// What an epoch tells of the rate.
  struct Seen {
    bool queued;
    double carried;      ///< the part that came through; …
    double part;         ///< … of a rate that is believed the most that it may have been
    double doubt;        ///< so much less may be chance
    bool fails = false;  ///< too much was lost, without a queue
  };

  bool close_epoch();
  /// Of a rate that is looked for: loss has depended on it. Then what is usual is not learnt from what is lost.
  bool limited() const { return !believed_ && policed_.limited(); }
  void judge(const RateEpoch& epoch);
  Seen look_at(const RateEpoch& epoch) const;
  void undo_rise(const RateEpoch& epoch, const Seen& seen);
  void fall_or_rise(const RateEpoch& epoch, const Seen& seen, bool fails_again);
  bool undecided_or_mistaken(const RateEpoch& epoch);
  void fall(const RateEpoch& epoch, double part);
  void begin_trial(const RateTrial& trial, double part);
  void rise();
  bool follow_policed(const RateEpoch& epoch);
  void expect_epoch();
  void set_rate(BytesPerSecond rate);
  void use_rate(BytesPerSecond rate);

  BytesPerSecond rate_;
  BytesPerSecond first_;
  BytesPerSecond most_;
  BytesPerSecond before_fading_{0};  ///< 0: the rate has not faded, or has been there again
  BytesPerSecond lasting_{0};        ///< was carried for some epochs; 0: none, or not any more
  bool told_;
  bool believed_;  ///< that the told rate is carried
  EpochMeter meter_;
  UsualPath usual_;
  std::array<double, 3> recent_{};  ///< of the last epochs at this rate, what may have come through
  std::size_t epochs_ = 0;          ///< at this rate
  HeavyLoss heavy_;                 ///< at this rate
  PolicedRate policed_;
  std::optional<RateTrial> lower_;        ///< the rate has fallen
  std::optional<BytesPerSecond> before_;  ///< the rate has risen from here …
  BytesPerSecond risen_from_{0};          ///< … or from here, with each epoch; 0: it has not risen
  std::size_t wait_ = 0;                  ///< epochs without a complaint before the rate rises
  std::size_t quiet_ = 0;                 ///< epochs without a complaint
  bool failed_ = false;                   ///< the last epoch has undone a rise, because of what was lost
  bool dropped_without_queue_ = false;
};

}  // namespace lbsp::transport
