#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/exchange.hpp"
#include "transport/udp/driving/udp_job.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What whoever drives a rank's endpoint hands to the program: how its call has ended, and figures.
///
/// One thread drives at a time, and the program's takes; any thread may ask. To ask whether something is there takes no
/// lock, as that happens several times in a superstep of some microseconds.
class Outcome {
 public:
  /// All of one moment.
  struct Figures {
    TrafficCounters counters;
    NetworkMeasure network;
    Forecast forecast;
    UdpLosses losses;
  };
  /// A rank's place in its world.
  struct Place {
    Rank rank = 0;
    Rank size = 0;
  };

  explicit Outcome(const Place& first) : world_(first), rank_(first.rank), size_(first.size) {}

  // For whoever drives.

  void publish(const Figures& figures);
  void publish_awaited(std::vector<Rank> ranks);
  /// The program's call is over: it gets these messages, or the error instead.
  void complete(std::vector<Bytes> messages, std::exception_ptr error, const Place& world,
                const Figures& figures);
  /// The others know of the failure, or it took too long.
  void set_told();
  /// Nothing can be driven any more: every call throws this from now on.
  void break_by(std::exception_ptr broken);

  // For any thread.

  bool over() const { return completed_ || is_broken_; }
  bool is_broken() const { return is_broken_; }
  bool is_told() const;
  void wait_until_told(Duration most) const;
  /// Throws what the call would that is over, if it throws.
  void throw_if_failed() const;
  /// The world as it was when take() was called last.
  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  template <class Figure>
  Figure get(Figure Figures::*figure) const {
    const std::lock_guard lock(mutex_);
    return figures_.*figure;
  }
  std::vector<Rank> awaited() const;

  // For the program's thread.

  /// Ends the call that is over: its messages, once. Throws its error, once, or what ended all.
  std::vector<Bytes> take();

 private:
  // Written under the mutex, so that who waits for changed_ misses none.
  std::atomic<bool> completed_ = false;
  std::atomic<bool> is_broken_ = false;  ///< broken_ says by what

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  // Under the mutex.
  bool told_ = false;
  std::vector<Bytes> messages_;
  std::exception_ptr error_;
  std::exception_ptr broken_;
  Place world_;
  Figures figures_;
  std::vector<Rank> awaited_;

  // Set by the program's thread.
  std::atomic<Rank> rank_;
  std::atomic<Rank> size_;
};

}  // namespace lbsp::transport
