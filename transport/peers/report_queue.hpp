#pragma once

#include <cstddef>

#include "transport/fifo.hpp"
#include "transport/rate/pacer.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The peers to which a report is due, each once, in the order in which they fell due. A report is written
/// when it leaves, so it includes what became known while it waited.
///
/// Reports may use a share of the rank's rate and no more: at a low rate, reports to n-1 peers that all lack
/// something would leave nothing for data. It is `least_share` where one report to each peer then takes no more than
/// 10 ms, and else up to `most_share`; `idle_share` while no data waits. After a pause one report for every peer may go
/// at once.
class ReportQueue {
 public:
  static constexpr double least_share = 1.0 / 16;
  static constexpr double most_share = 1.0 / 8;
  static constexpr double idle_share = 1.0 / 2;

  ReportQueue(BytesPerSecond rate, Rank size, Instant now);

  void set_rate(BytesPerSecond rate, Instant now);

  void push(Rank peer) { due_.push_back(peer); }
  bool empty() const { return due_.empty(); }
  /// Whether a report is due and may go. `idle`: no data waits.
  bool ready(Instant now, bool idle);
  Rank pop() { return due_.pop_front(); }
  /// The report that ready() let go has so many bytes.
  void sent(std::size_t bytes);
  /// When ready() may become true; `never` if nothing is due.
  Instant next_release(bool idle) const;

  /// How long one report to each peer takes at that share. No peer can get reports more often, and each may have
  /// to wait this long for its own.
  Duration round() const { return round_; }
  /// Whether one to each peer takes more than the least share.
  bool expensive() const { return expensive_; }

 private:
  BytesPerSecond share_of(BytesPerSecond rate) const;
  bool is_expensive(BytesPerSecond rate) const;

  std::size_t round_bytes_;
  Pacer pacer_;
  Pacer idle_pacer_;
  bool of_share_ = true;  ///< what goes next has been allowed by the share
  Duration round_;
  bool expensive_;
  Fifo<Rank> due_;
};

}  // namespace lbsp::transport
