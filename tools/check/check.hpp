#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/check/findings.hpp"
#include "tools/check/worker_protocol.hpp"
#include "tools/launch/hosts/line_worker.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::check {

/// Looks at all hosts at the same time: a worker is started on each, here or through an agent (ssh) as for lbsp run; it
/// opens a UDP port, and all knock at each other's. Takes about 5 s beside the start of the slowest worker.
class Check {
 public:
  Check(const launch::request::RunOptions& options, launch::places::Placement placement);

  /// Returns what was seen. Every host that can be seen is, unless a signal ends it early.
  Seen run();

 private:
  using Clock = std::chrono::steady_clock;

  enum class Stage : std::uint8_t { starting, knocking, lingering, hearing, ending };

  struct Worker {
    std::unique_ptr<launch::hosts::LineWorker> lines;
    bool ready = false;
    bool awaited = false;  ///< an answer to the order of this stage is due
    int times = 0;         ///< how often it was asked for the time
    Clock::time_point asked{};
    std::chrono::system_clock::time_point asked_at{};
  };

  void start(int index);
  void take_line(int index, const std::string& line);
  void take(int index, const Ready& ready);
  void take(int index, const Time& time);
  void take(int index, const AllHeard& heard);
  void ask_time(int index);
  void lose(int index, const std::string& why);
  void go_on_if_all_have_answered();
  void begin(Stage stage);
  void give_up_on_the_silent();
  void order_all(const Order& order);
  void end(std::chrono::milliseconds patience);
  KnockAt addresses() const;
  Worker& worker(int index) { return workers_[static_cast<std::size_t>(index)]; }
  HostSeen& seen(int index) { return seen_.hosts[static_cast<std::size_t>(index)]; }
  int size() const { return static_cast<int>(placement_.hosts.size()); }

  launch::request::RunOptions options_;
  launch::places::Placement placement_;
  transport::JobKey key_;
  Seen seen_;
  uv::Loop loop_;
  launch::hosts::HostStarts starts_;
  uv::Timer timer_;
  std::vector<std::unique_ptr<uv::SignalWatch>> signals_;
  std::vector<Worker> workers_;
  Stage stage_ = Stage::starting;
};

}  // namespace lbsp::check
