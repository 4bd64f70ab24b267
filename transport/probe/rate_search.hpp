#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "transport/probe/train.hpp"
#include "transport/units.hpp"

namespace lbsp::transport::probe {

/// Finds the bandwidth of one direction for datagrams of one size. It sends trains at rising rates until one
/// of them meets a queue: its later datagrams take longer, or many more are lost than at low rates. It does
/// no I/O: the caller asks for the next train and says what happened to it.
///
/// An overloaded train leaves the bottleneck at the bottleneck's rate, so that rate can be read from its
/// arrivals. Loss that has nothing to do with load must not count as a lack of bandwidth:
/// - if no more were lost than usual, all went through the bottleneck, and the rate is (last - first)
///   datagrams in the time between the arrivals of these two, however many of them were lost later;
/// - if more were lost, the queue dropped some, and the rate is what arrived over 1 - usual loss;
/// - if the train is too short to tell, the time between two neighbours that both arrived is the time that
///   one takes. The result is the mean over two trains at a quarter above the first estimate, which long
///   queues take whole.
class RateSearch {
 public:
  struct Start {
    std::uint32_t bytes = 0;
    transport::BytesPerSecond rate;    ///< of the first train
    transport::BytesPerSecond most;    ///< no train is faster
    std::optional<double> usual_loss;  ///< none: what trains at rates that the path carries show
    int confirmations = 2;             ///< trains after the first that met a queue
  };

  explicit RateSearch(const Start& start);

  /// Nothing: the search is over.
  std::optional<TrainPlan> next() const;
  void take(const TrainSent& sent, const TrainSeen& seen);

  /// What was found so far; 0: nothing ever arrived.
  transport::BytesPerSecond bandwidth() const { return {bandwidth_}; }
  /// The path carried all that could be sent: the limit, or what the sender managed.
  bool limited_by_sender() const { return limited_; }

  /// The most that a sender on this machine can do. A faster train would tell nothing more.
  static constexpr double most_datagrams_per_second = 200'000;
  static constexpr int most_trains = 18;

 private:
  double usual_loss() const;
  bool overloaded(const TrainSent& sent, const TrainSeen& seen) const;
  double estimate(const TrainSent& sent, const TrainSeen& seen) const;
  void take_carried(const TrainSent& sent, const TrainSeen& seen);
  void take_overloaded(double rate);

  Start start_;
  double rate_;
  double bandwidth_ = 0;
  double growth_factor_ = 2;
  int trains_ = 0;
  int silent_ = 0;
  std::uint64_t carried_sent_ = 0;
  std::uint64_t carried_lost_ = 0;
  std::vector<double> estimates_;
  bool limited_ = false;
  bool over_ = false;
};

}  // namespace lbsp::transport::probe
