#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/probe/bandwidths.hpp"
#include "transport/probe/end.hpp"
#include "transport/probe/measurement.hpp"
#include "transport/probe/measuring.hpp"
#include "transport/probe/requests.hpp"
#include "transport/probe/size_search.hpp"

namespace lbsp::transport::probe {

/// The end that asks. It goes through these steps: the handshake; a first look at the bandwidth; the largest
/// datagrams that arrive whole; loss, runs of losses, second copies and round trips of all sizes, paced at a
/// fifth of that bandwidth; the bandwidth for each size; the responder's compute rates. Every request is
/// repeated until it is answered, so each step survives loss. If a request is not answered for `patience`, or
/// the time limit is over, the measurement has failed.
class Client final : public End {
 public:
  Client(const JobKey& key, const SocketAddress& responder, MeasurementPlan plan, Instant now);

  void handle_datagram(std::span<std::byte> datagram, const SocketAddress& from, Instant now) override;
  void handle_timeout(Instant now) override;
  Instant next_timeout() const override;
  std::optional<Outgoing> poll_transmit(std::span<std::byte> buffer, Instant now) override;
  bool whole() const override { return measuring_.whole(); }
  bool finished() const override { return finished_; }

  /// When finished: why there is no result. Empty if there is one.
  const std::string& failure() const { return failure_; }
  /// Whether that is for want of time: without others beside it, it would not be otherwise another time.
  bool out_of_time() const { return out_of_time_; }
  const Measurement& result() const { return result_; }
  /// 0 … 1, roughly.
  double progress() const;

  static constexpr Duration patience = Requests::patience;

 private:
  void at(Instant time, std::function<void(Instant)> call);
  void fail(const std::string& why);
  void collect(Requests::Answer on_answer, Instant now);

  void next_train(Instant now);
  void collect_train(const TrainPlan& plan, Instant now);
  void start_sizes(Instant now);
  void next_sizes(Instant now);
  void collect_sizes(const std::vector<SizePlan>& sizes, Instant now);
  void settle_sizes(Instant now);
  BytesPerSecond usual_rate() const;
  void start_loss(Instant now);
  void collect_loss(Instant now);
  void ask_for_rates(Instant now);
  void say_bye(Instant now);

  SocketAddress responder_;
  MeasurementPlan plan_;
  Instant end_;
  Requests requests_;
  Measuring measuring_;

  Instant wake_ = never;
  std::function<void(Instant)> on_wake_;

  std::uint16_t step_ = 0;
  Bandwidths bandwidths_;
  SizeSearch largest_up_;
  SizeSearch largest_down_;
  Instant sizes_end_ = never;
  bool loss_measured_ = false;
  Measurement result_;
  std::string failure_;
  bool out_of_time_ = false;
  bool finished_ = false;
};

}  // namespace lbsp::transport::probe
