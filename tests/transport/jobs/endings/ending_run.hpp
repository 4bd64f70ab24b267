#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/simulated/network.hpp"

namespace lbsp::transport::testing {

using namespace std::chrono_literals;

/// What a run came to.
struct Ending {
  bool over = false;
  int failures = 0;
  std::uint64_t sent = 0;  ///< datagrams
  Duration last_left{0};
  Duration last_complete{0};

  /// How long the last rank took to leave.
  Duration lingering() const { return last_left - last_complete; }
};

struct EndingJob {
  SimulationConfig config;
  bool says_last = false;           ///< the ranks say that the third superstep is the last one
  std::size_t bytes = 3000;         ///< of each message
  Duration told = Duration::max();  ///< so long after a rank has left, the others hear of it from outside
};

/// Runs three supersteps and the end, each rank at its own pace, and those who have left are gone.
class EndingRun {
 public:
  explicit EndingRun(EndingJob job)
      : job_(std::move(job)),
        network_(job_.config),
        superstep_(static_cast<std::size_t>(network_.size()), -1),
        left_at_(static_cast<std::size_t>(network_.size()), never) {}

  /// Until all are gone, at most for so long.
  Ending run(Duration bound) {
    for (Rank rank = 0; rank < network_.size(); ++rank)
      next(rank);
    while (!ending_.over && network_.now() < begin_ + bound) {
      if (tell_of_departures()) continue;
      const auto rank = network_.step();
      if (!rank) break;
      look_at(*rank);
      ending_.over = std::ranges::find(left_at_, never) == left_at_.end();
    }
    for (Rank rank = 0; rank < network_.size(); ++rank)
      note_end_of(network_.endpoint(rank));
    return ending_;
  }

 private:
  int& superstep(Rank rank) { return superstep_[static_cast<std::size_t>(rank)]; }
  Instant& left_at(Rank rank) { return left_at_[static_cast<std::size_t>(rank)]; }

  void next(Rank rank) {
    network_.act(rank, [&](Endpoint& endpoint, Instant now) {
      int& reached = superstep(rank);
      if (reached >= 0) endpoint.take_messages();
      std::vector<Bytes> messages(superstep_.size(), Bytes(job_.bytes));
      if (++reached < (job_.says_last ? 2 : 3)) {
        endpoint.begin_exchange(std::move(messages), now);
      } else if (job_.says_last && reached == 2) {
        endpoint.begin_last_exchange(std::move(messages), now);
      } else {
        ending_.last_complete = std::max(ending_.last_complete, now - begin_);
        endpoint.begin_finish(now);
      }
    });
  }

  void note_end_of(const Endpoint& endpoint) {
    ending_.failures += endpoint.failure() ? 1 : 0;
    ending_.sent += endpoint.counters().datagrams_sent;
  }

  /// Says whether time went on by it.
  bool tell_of_departures() {
    if (job_.told == Duration::max()) return false;
    for (Rank left = 0; left < network_.size(); ++left) {
      const Instant at = left_at(left) == never ? never : left_at(left) + job_.told;
      const auto place = static_cast<std::size_t>(left);
      if (told_[place] || at == never || at > network_.next_event()) continue;
      told_[place] = true;
      network_.pass_to(std::max(at, network_.now()));
      for (Rank rank = 0; rank < network_.size(); ++rank) {
        if (left_at(rank) != never) continue;
        network_.act(rank, [&](Endpoint& endpoint, Instant now) { endpoint.take_departure(left, now); });
        look_at(rank);
      }
      ending_.over = std::ranges::find(left_at_, never) == left_at_.end();
      return true;
    }
    return false;
  }

  void look_at(Rank rank) {
    const Endpoint& endpoint = network_.endpoint(rank);
    while (!endpoint.failure() && endpoint.exchange_complete() && superstep(rank) < 3)
      next(rank);
    if (left_at(rank) != never || !(endpoint.finished() || endpoint.failure())) return;
    left_at(rank) = network_.now();
    ending_.last_left = network_.now() - begin_;
    // A process that failed still tells the others for a while.
    network_.remove(rank, network_.now() + (endpoint.failure() ? 250ms : 0ms));
  }

  EndingJob job_;
  SimulatedNetwork network_;
  Instant begin_ = network_.now();
  std::vector<int> superstep_;
  std::vector<Instant> left_at_;                                        ///< by rank
  std::vector<bool> told_ = std::vector<bool>(left_at_.size(), false);  ///< the others of that rank
  Ending ending_;
};

inline Ending run_to_the_end(const SimulationConfig& config, Duration bound, bool says_last = false) {
  return EndingRun({.config = config, .says_last = says_last}).run(bound);
}

inline SimulationConfig lossy_job(std::uint64_t seed, double loss) {
  SimulationConfig config;
  config.size = 4;
  config.seed = seed;
  config.wan.loss = loss;
  config.wan.round_trip_time = 50ms;
  config.wan.jitter = 2ms;
  return config;
}

}  // namespace lbsp::transport::testing
