#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "transport/membership/newcomer.hpp"
#include "transport/units.hpp"

namespace lbsp::lasting {

using transport::Duration;
using transport::Instant;
using transport::Slot;

/// What becomes of a job of LastingWorlds. Processes are numbered in the order in which they are started: first those
/// of the job's start by slot, then new ones.
struct LastingPlan {
  struct Cut {
    int from = 0;
    int to = 0;  ///< where nothing of that one comes then
    Duration begin{0};
    Duration end = std::chrono::hours{1};
  };

  Slot size = 4;
  int survive = 1;
  std::vector<std::uint16_t> hosts = {};
  double loss = 0;
  Duration delay = std::chrono::milliseconds{3};
  std::uint64_t seed = 1;
  /// By process: after how many datagrams it dies, in the middle of what it has to say; 0: never.
  std::vector<std::uint64_t> dies_after = {};
  /// The same of when it begins to sleep for so long.
  std::vector<std::uint64_t> sleeps_after = {};
  Duration sleep = std::chrono::milliseconds{700};
  /// As on a busy machine, each process does not run for up to so long, again and again; 0: never.
  Duration naps{0};
  std::vector<Cut> cuts = {};
  /// By process that joins: when it is started, to have a slot of its own after the others'.
  std::vector<Duration> joins_at = {};
  /// A new process is started so long after a slot's is lost; 0: never.
  Duration respawn_after{0};
  Duration newcomer_wait = std::chrono::seconds{2};
  /// A process's end is told to all so long after it, and again after as long; and a new one as it begins. 0: never.
  Duration told_after{0};
  /// And so is that of one that lives, by process.
  struct Slander {
    int of = 0;
    Duration at{0};
  };
  std::vector<Slander> slanders = {};
  bool outlives_ranks = true;
  std::string checkpoint = {};  ///< as in Survival
  std::string restart = {};
  std::string program = {};
  double host_mtbf = 3600;  ///< seconds
  /// Processes are wrong by so much, at random, whenever they look at the clock: seconds.
  double clock_error = 0;

  bool is_cut(int from, int to, Duration at) const {
    return std::ranges::any_of(cuts, [&](const Cut& cut) {
      return cut.from == from && cut.to == to && at >= cut.begin && at < cut.end;
    });
  }
};

}  // namespace lbsp::lasting
