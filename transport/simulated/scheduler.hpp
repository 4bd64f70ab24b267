#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/simulated/network.hpp"

namespace lbsp::transport {

/// A call of a rank's program to its exchange.
struct RankCall {
  enum class Kind { exchange, last_exchange, reply, finish };
  Kind kind;
  std::vector<Bytes> outgoing;
  std::vector<Rank> destinations;
  std::vector<Rank> sources;
};

/// Gives virtual time to rank programs that block: events happen only while no rank's thread runs.
class VirtualScheduler {
 public:
  struct Snapshot {
    TrafficCounters counters;
    NetworkMeasure network;
    Forecast forecast;
  };

  /// Every rank counts as running until it makes a call or ends.
  VirtualScheduler(SimulatedNetwork& network, Instant time_bound);

  // On the ranks' threads.
  std::vector<Bytes> call(Rank rank, RankCall call);
  void abort(Rank rank, std::string_view reason) noexcept;
  void end(Rank rank);
  Snapshot snapshot(Rank rank) const;
  Instant now() const;

  /// For the job's thread: returns when all ranks have ended.
  void run();

 private:
  enum class State { running, called, waiting, ended, removed };

  struct Program {
    State state = State::running;
    std::optional<RankCall> call;
    bool finishing = false;
    std::optional<std::string> abort_reason;
    std::vector<Bytes> messages;
    std::exception_ptr error;
    Snapshot snapshot;
    std::condition_variable resumed;
  };

  Program& program(Rank rank) { return *programs_[static_cast<std::size_t>(rank)]; }
  const Program& program(Rank rank) const { return *programs_[static_cast<std::size_t>(rank)]; }
  void stops(Program& stopped, State state);
  void apply_requests();
  void begin(Rank rank);
  bool resume_if_done(Rank rank);
  void resume(Rank rank, std::exception_ptr error);
  void resume_some();
  void give_up(const std::exception_ptr& error);

  SimulatedNetwork& network_;
  Instant time_bound_;
  std::vector<std::unique_ptr<Program>> programs_;
  mutable std::mutex mutex_;
  std::condition_variable all_stopped_;
  Rank running_;
  Rank alive_;
};

}  // namespace lbsp::transport
