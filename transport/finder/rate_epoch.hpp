#pragma once

#include <cstdint>

#include "transport/units.hpp"

namespace lbsp::transport {

/// Two echoes of one train set against each other. A train is what a rank sends to all others without a
/// pause, as fast as its rate allows; the echoes come from one of them.
struct TrainPart {
  std::uint64_t sent = 0;     ///< datagrams to that peer …
  std::uint64_t arrived = 0;  ///< … and how many of them arrived
  Duration sending{0};        ///< from the first of them to the last, when they were sent …
  Duration arriving{0};       ///< … and when they arrived
  bool opens = true;          ///< the first part of this train and peer that is counted in an epoch
};

/// What became of about 256 datagrams, or of fewer at a low rate, and how far chance moves these figures.
struct RateEpoch {
  double datagrams = 256;
  double loss = 0;
  double loss_error = 0;  ///< its standard deviation
  double stretch = 1;     ///< arriving / sending, at least 1
  double stretch_error = 0;
  double delay = 0;  ///< seconds by which the queue grew during a train
};

/// Adds up what echoes tell until it makes an epoch, and keeps account of what chance does: losses come in runs, and
/// delays vary.
class EpochMeter {
 public:
  static constexpr std::uint64_t packets_per_epoch = 256;

  /// At a low rate so many take long: an epoch is what goes in a second then, or, if the rate was `told`, in two, but
  /// no fewer than 64 and 128 datagrams.
  void expect(BytesPerSecond rate, bool told);
  /// Whether that makes an epoch.
  bool add(const TrainPart& part);
  /// Of datagrams of several trains it is not known how fast they arrived. They make an epoch too, whose stretch is 1:
  /// 256 of them whatever is lost, if `any_loss`; else twice as many, if more than `heavy_loss` of them is lost, and
  /// not in a few long runs.
  bool add_untimed(std::uint64_t sent, std::uint64_t arrived, double heavy_loss, bool any_loss);
  RateEpoch close();
  /// Counts the epochs.
  std::uint32_t epoch() const { return epoch_; }

  /// The time between two arrivals exceeded that between their sending by this much more than it did before.
  void varied(Duration difference);
  /// A receiver tells how its losses come: of all datagrams, and of those that follow a lost one, as parts of 1.
  void losses(double loss, double loss_after_loss);

 private:
  static constexpr double least_runs = 1.5;
  static constexpr double first_jitter = 0.5e-3;

  bool timed() const;

  struct Untimed {
    std::uint64_t sent = 0;
    std::uint64_t arrived = 0;
    std::uint64_t where_much_is_lost = 0;  ///< of `sent`, in parts that lost much
  };

  bool lacks_much_everywhere(double heavy_loss) const;

  std::uint64_t packets_ = packets_per_epoch;
  TrainPart sum_;
  Untimed untimed_;
  std::uint32_t trains_ = 0;  ///< in sum_
  std::uint32_t epoch_ = 1;
  double runs_ = least_runs;  ///< the variance of losses, over that of independent ones
  double jitter_variance_ = first_jitter * first_jitter;  ///< of single delays, seconds squared
  double variations_ = 4;                                 ///< that it is of; the first guess counts too
};

}  // namespace lbsp::transport
