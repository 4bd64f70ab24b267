#pragma once

#include <array>
#include <cstdint>
#include <optional>

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

/// Finds the rate at which a rank can send. On a path with random loss, loss alone says nothing of the rate;
/// what does is that datagrams sent over a time t arrive over a longer time, as a queue fills before the
/// narrowest link, or that more are lost than otherwise, as that queue overflows.
///
/// Decisions are made on epochs, about `packets_per_epoch` datagrams each:
/// - the part of the rate that came through, less the usual loss, is measured: (arrived / sent) /
///   (1 - usual loss) / (arriving / sending). If the median of three is too low, or two are far too low, the
///   network does not carry the rate, which falls to what it carried. Queues of less than a usual delay do
///   not count.
/// - such a fall is a trial. If the network was congested, as much comes through as before; if less does, it
///   was not: the rate returns, and that loss and delay are usual from then on. (Trying rather than guessing:
///   PCC, Dong et al., NSDI 2015.)
/// - else the rate rises by a quarter: at first after every epoch, once it was too high after ever longer
///   waits, and back at once if the network does not carry that.
///
/// Not a fair share with TCP by design: it yields to queues as delay-based controls do (RFC 6817), and to
/// loss only as far as sending less lowers it.
class RateFinder {
 public:
  static constexpr std::uint64_t packets_per_epoch = 256;

  /// Begins with `first` and never exceeds `most`. `usual_loss` is what is expected of the path itself.
  RateFinder(BytesPerSecond first, BytesPerSecond most, double usual_loss);

  BytesPerSecond rate() const { return rate_; }
  /// Counts the epochs.
  std::uint32_t epoch() const { return epoch_; }
  /// Takes a part of a train that was sent at rate(); returns whether that changed the rate.
  bool add(const TrainPart& part);

 private:
  struct Epoch {
    double loss = 0;
    double stretch = 1;  ///< arriving / sending, at least 1
    double delay = 0;    ///< seconds by which the queue grew during a train
  };
  struct Trial {
    BytesPerSecond before;  ///< the rate to return to
    Epoch seen;             ///< at that rate
  };

  Epoch close_epoch();
  double carried(const Epoch& epoch) const;
  void judge(const Epoch& epoch);
  bool was_mistaken(const Epoch& epoch);
  void fall(const Epoch& epoch, double carried);
  void rise();
  void set_rate(BytesPerSecond rate);

  BytesPerSecond rate_;
  BytesPerSecond most_;
  double usual_loss_;
  double usual_delay_ = 0;  ///< seconds
  TrainPart sum_;
  std::uint32_t trains_ = 0;  ///< in sum_
  std::uint32_t epoch_ = 1;
  std::array<double, 3> recent_{};  ///< carried() of the last epochs at this rate
  std::size_t epochs_ = 0;          ///< at this rate
  std::optional<Trial> lower_;      ///< the rate has fallen
  std::optional<Trial> higher_;     ///< the rate has risen
  std::size_t wait_ = 0;            ///< epochs without a complaint before the rate rises
  std::size_t quiet_ = 0;           ///< epochs without a complaint
};

}  // namespace lbsp::transport
