#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport::probe {

/// Datagrams of one size at even distances, which measure a path's bandwidth.
struct TrainPlan {
  std::uint32_t bytes = 0;
  std::uint32_t count = 0;
  std::uint32_t gap_nanoseconds = 0;

  double rate() const { return bytes * 1e9 / gap_nanoseconds; }
  transport::Duration length() const {
    return transport::Duration{static_cast<transport::Duration::rep>(count) * gap_nanoseconds};
  }
  friend bool operator==(const TrainPlan&, const TrainPlan&) = default;
};

/// What the sender of a train did.
struct TrainSent {
  std::uint32_t count = 0;
  transport::Duration span{0};  ///< between the first and the last
};

/// What its receiver saw.
struct TrainSeen {
  std::uint32_t received = 0;
  std::uint32_t first = 0;  ///< places in the train of the first and the last that arrived
  std::uint32_t last = 0;
  transport::Duration span{0};     ///< between their arrivals
  std::uint32_t neighbours = 0;    ///< pairs (i, i+1) of which both arrived, in this order
  transport::Duration between{0};  ///< sum of the times between these two
  /// How much longer the last third took than the first, in the median: the growth of a queue.
  transport::Duration growth{0};
};

/// Listens to one train. The clocks of the two ends need not agree, but must run equally fast.
class TrainReceiver {
 public:
  explicit TrainReceiver(const TrainPlan& plan) : plan_(plan) {}

  const TrainPlan& plan() const { return plan_; }
  /// Takes a datagram that has not arrived before. `sent` is by the sender's clock.
  void take(std::uint32_t index, transport::Duration sent, transport::Instant now);
  TrainSeen seen() const;

 private:
  TrainPlan plan_;
  TrainSeen seen_;
  transport::Instant first_arrival_;
  transport::Instant last_arrival_;
  std::uint32_t previous_ = 0;  ///< whatever came last
  transport::Instant previous_arrival_;
  std::vector<double> early_;
  std::vector<double> late_;
};

}  // namespace lbsp::transport::probe
