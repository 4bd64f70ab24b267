#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/probe/channel.hpp"
#include "transport/probe/end.hpp"
#include "transport/probe/handshake.hpp"
#include "transport/probe/measuring.hpp"
#include "transport/probe/rate_search.hpp"
#include "transport/probe/responder.hpp"
#include "transport/probe/size_search.hpp"

namespace lbsp::transport::probe {

/// What to measure, and how much it may cost.
struct MeasurementPlan {
  std::vector<std::uint32_t> sizes{64, 512, 1400, 8192, 25'600, 64'000};  ///< UDP payload, ascending
  std::uint32_t count = 300;    ///< datagrams of each size and direction, for loss
  bool count_is_fixed = false;  ///< otherwise fewer of sizes that would take too long
  transport::BytesPerSecond most{transport::megabits_per_second(1000)};
  transport::Duration time_limit = std::chrono::seconds{60};
  bool bandwidth = true;
  /// Otherwise those are left out that the path does not take whole, and the largest that it takes is added.
  bool sizes_are_fixed = true;
};

/// What was found for one direction and size.
struct DirectionResult {
  LossSummary loss;
  transport::BytesPerSecond bandwidth;  ///< 0: nothing arrived
  bool limited_by_sender = false;       ///< the path may take more
};

struct SizeResult {
  std::uint32_t bytes = 0;
  DirectionResult up;               ///< from the client to the responder
  DirectionResult down;             ///< and back
  std::vector<double> round_trips;  ///< seconds
};

struct Measurement {
  std::vector<SizeResult> sizes;
  /// UDP payload of the largest datagram that arrives whole; none: the responder does not measure that, or
  /// nothing arrived.
  std::optional<std::uint32_t> largest_up;
  std::optional<std::uint32_t> largest_down;
  Rates responder_rates;
};

/// The end that asks. It goes through these steps: the handshake; a first look at the bandwidth; the largest
/// datagrams that arrive whole; loss, runs of losses, second copies and round trips of all sizes, paced at a
/// fifth of that bandwidth; the bandwidth for each size; the responder's compute rates. Every request is
/// repeated until it is answered, so each step survives loss. If a request is not answered for `patience`, or
/// the time limit is over, the measurement has failed.
class Client final : public End {
 public:
  Client(const transport::JobKey& key, const transport::SocketAddress& responder, MeasurementPlan plan,
         transport::Instant now);

  void handle_datagram(std::span<std::byte> datagram, const transport::SocketAddress& from,
                       transport::Instant now) override;
  void handle_timeout(transport::Instant now) override;
  transport::Instant next_timeout() const override;
  std::optional<Outgoing> poll_transmit(std::span<std::byte> buffer, transport::Instant now) override;
  bool whole() const override { return measuring_.whole(); }
  bool finished() const override { return finished_; }

  /// When finished: why there is no result. Empty if there is one.
  const std::string& failure() const { return failure_; }
  const Measurement& result() const { return result_; }
  /// 0 … 1, roughly.
  double progress() const;

  static constexpr transport::Duration patience = std::chrono::seconds{10};

 private:
  using Answer = std::function<void(Status, transport::WireReader&, transport::Instant)>;
  enum class Phase { greeting, starting, measuring };
  /// One of the bandwidths to be found.
  struct Search {
    std::size_t size;  ///< place in the result; of a first look, none
    bool down;
    bool first_look;
  };

  void take_challenge(std::span<std::byte> datagram);
  void take_response(std::span<const std::byte> body, transport::Instant now);
  void command(CommandType type, const std::function<void(transport::WireWriter&)>& write, Answer on_answer,
               transport::Instant now);
  void command_step(CommandType type, Answer on_answer, transport::Instant now);
  void at(transport::Instant time, std::function<void(transport::Instant)> call);
  void fail(const std::string& why);

  void next_search(transport::Instant now);
  void next_train(transport::Instant now);
  void collect_train(const TrainPlan& plan, transport::Instant now);
  void end_search();
  void start_sizes(transport::Instant now);
  void next_sizes(transport::Instant now);
  void collect_sizes(const std::vector<SizePlan>& sizes, transport::Instant now);
  void settle_sizes(transport::Instant now);
  std::uint32_t first_look_bytes() const;
  /// Of the slower direction, at a first look.
  transport::BytesPerSecond usual_rate() const;
  void start_loss(transport::Instant now);
  void collect_loss(transport::Instant now);
  void ask_for_rates(transport::Instant now);
  void say_bye(transport::Instant now);
  transport::Duration settling() const;
  transport::Duration repeat_interval() const;
  DirectionResult& direction(const Search& search);

  transport::JobKey key_;
  transport::SocketAddress responder_;
  MeasurementPlan plan_;
  HandshakeNonce nonce_;
  std::uint16_t tag_;
  transport::Instant end_;
  Phase phase_ = Phase::greeting;
  bool was_busy_ = false;
  std::optional<Channel> channel_;
  Measuring measuring_;

  // The request that is under way.
  std::vector<std::byte> request_;
  Answer on_answer_;
  std::uint32_t request_number_ = 0;
  transport::Instant next_send_;
  transport::Instant give_up_;
  std::vector<transport::Instant> attempts_;  ///< to send it

  transport::Instant wake_ = transport::never;
  std::function<void(transport::Instant)> on_wake_;

  std::uint16_t step_ = 0;
  std::optional<transport::Duration> round_trip_;  ///< the shortest of any request and its answer
  std::vector<Search> searches_;
  std::size_t searched_ = 0;
  std::optional<RateSearch> search_;
  std::array<double, 2> first_look_{};  ///< bytes per second up and down
  SizeSearch largest_up_;
  SizeSearch largest_down_;
  transport::Instant sizes_end_ = transport::never;
  bool loss_measured_ = false;
  Measurement result_;
  std::string failure_;
  bool finished_ = false;
};

}  // namespace lbsp::transport::probe
