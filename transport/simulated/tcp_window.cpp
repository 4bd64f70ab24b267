#include "transport/simulated/tcp_window.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "transport/simulated/bbr_window.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Slow start, then Reno's growth; both halve the window at a loss.
class RenoWindow : public TcpWindow {
 public:
  void acknowledge(const TcpAcknowledgement& acknowledgement) override {
    sample(acknowledgement.round_trip);
    if (!acknowledgement.recovering) increase(acknowledgement.now);
  }
  void reduce(Instant /*now*/) override { reduce_to(0.5); }
  void time_out(Instant now) override {
    reduce(now);
    window_ = 1;
  }
  double segments() const override { return window_; }

 protected:
  virtual void grow(Instant /*now*/) { window_ += 1 / window_; }

  void increase(Instant now) {
    if (window_ < threshold_) {
      window_ += 1;
    } else {
      grow(now);
    }
  }

  void sample(Duration round_trip) {
    smoothed_ += smoothed_ == 0ns ? round_trip : (round_trip - smoothed_) / 8;
    least_ = std::min(least_, round_trip);
  }
  void reduce_to(double beta) {
    window_ = std::max(2.0, window_ * beta);
    threshold_ = window_;
  }

  double window_ = 10;
  double threshold_ = 1e9;  ///< of slow start
  Duration smoothed_{0};
  Duration least_ = Duration::max();
};

class CubicWindow : public RenoWindow {
 public:
  void acknowledge(const TcpAcknowledgement& acknowledgement) override {
    sample(acknowledgement.round_trip);
    // HyStart (RFC 9406) without its conservative phase: a queue has begun to grow.
    const bool starting = window_ < threshold_ && window_ >= 16;
    if (starting && smoothed_ > least_ + std::clamp<Duration>(least_ / 8, 4ms, 16ms)) threshold_ = window_;
    if (!acknowledgement.recovering) increase(acknowledgement.now);
  }
  void reduce(Instant /*now*/) override {
    // Fast convergence: a flow that did not get as far as before leaves room for others.
    highest_ = window_ < highest_ ? window_ * (1 + beta) / 2 : window_;
    reduce_to(beta);
    epoch_.reset();
  }

 private:
  static constexpr double scale = 0.4;  // C
  static constexpr double beta = 0.7;

  void grow(Instant now) override {
    if (!epoch_) {
      epoch_ = now;
      highest_ = std::max(highest_, window_);
      friendly_ = window_;
    }
    const double since = std::chrono::duration<double>(now - *epoch_ + smoothed_).count();
    const double k = std::cbrt(highest_ * (1 - beta) / scale);
    const double target = std::clamp(scale * std::pow(since - k, 3) + highest_, window_, 1.5 * window_);
    friendly_ += (friendly_ < highest_ ? 3 * (1 - beta) / (1 + beta) : 1) / window_;
    window_ = std::max(window_ + (target - window_) / window_, friendly_);
  }

  double highest_ = 0;   ///< the window before the last reduction
  double friendly_ = 0;  ///< what Reno's window would be
  std::optional<Instant> epoch_;
};

}  // namespace

std::unique_ptr<TcpWindow> make_tcp_window(CongestionControl control) {
  switch (control) {
    case CongestionControl::reno:
      return std::make_unique<RenoWindow>();
    case CongestionControl::cubic:
      return std::make_unique<CubicWindow>();
    case CongestionControl::bbr:
      return std::make_unique<BbrWindow>();
  }
  return nullptr;
}

}  // namespace lbsp::transport
