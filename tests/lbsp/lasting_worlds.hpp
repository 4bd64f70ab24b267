#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "lbsp/survival/carried.hpp"
#include "lbsp/world.hpp"
#include "transport/lasting/lasting_endpoint.hpp"
#include "transport/membership/newcomer.hpp"

namespace lbsp::lasting {

using transport::Duration;
using transport::Instant;
using transport::LastingEndpoint;
using transport::Slot;

/// A job that goes on without lost ranks, in virtual time: each rank's program runs on a thread of its own, one at a
/// time, while time stands still.
class LastingWorlds {
 public:
  struct Cut {
    int from = 0;  ///< by process, as in dies_after
    int to = 0;    ///< where nothing of that one comes then
    Duration begin{0};
    Duration end = std::chrono::hours{1};
  };
  struct Plan {
    Slot size = 4;
    int survive = 1;
    std::vector<std::uint16_t> hosts = {};
    double loss = 0;
    Duration delay = std::chrono::milliseconds{3};
    std::uint64_t seed = 1;
    /// By process: after how many datagrams it dies, in the middle of what it has to say; 0: never. First those of the
    /// job's start by slot, then new ones as they are started.
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
  };
  using Program = std::function<void(World&, Slot)>;

  LastingWorlds(Plan plan, Program program);
  ~LastingWorlds();
  LastingWorlds(const LastingWorlds&) = delete;
  LastingWorlds& operator=(const LastingWorlds&) = delete;

  /// Until all that live have come to their end. Returns whether they have.
  bool run(Duration most);

  /// The program of the last process that got the slot calls it: the process is lost here, without a word.
  [[noreturn]] void die(Slot slot);

  // Of the last process that had the slot.
  bool died(Slot slot) const { return last_of(slot).dead; }
  bool finished(Slot slot) const { return last_of(slot).finished; }
  /// What its program ended with, if it was not well.
  const std::string& error(Slot slot) const { return last_of(slot).error; }
  int changes(Slot slot) const { return last_of(slot).changes; }
  /// Those of the job's start, and of processes that were to join it.
  Slot slots() const { return static_cast<Slot>(newest_.size()); }
  /// How many new processes have got a slot.
  int seated() const;
  /// How far the job was by World::reached() whenever the world has changed, as the first process told it.
  const std::map<transport::Epoch, std::optional<std::uint64_t>>& reached() const { return reached_; }
  /// The numbers of the states that the worlds after each change have begun with, as who has them told it.
  const std::map<transport::Epoch, std::uint64_t>& states() const { return states_; }
  /// Of the process that had the slot at the job's start.
  const std::string& first_error(Slot slot) const { return of(slot).error; }

 private:
  struct Killed {};
  /// Of a process: in the order in which they were started.
  using Index = int;
  struct Datagram {
    Instant at;
    Index from;
    Index to;
    std::vector<std::byte> bytes;
  };
  struct Process {
    Slot slot = 0;
    std::unique_ptr<LastingEndpoint> endpoint;      ///< none: it has not got its slot yet
    std::unique_ptr<transport::Newcomer> newcomer;  ///< until it has
    std::vector<Index> at;                          ///< by station
    std::vector<Index> knocks_at;                   ///< by slot: as `at`, until it has got its own
    std::map<Slot, Index> former;  ///< and where every second knock goes: who may have it yet
    transport::Epoch came_in = 0;
    Instant asleep_until{};
    std::function<bool(const LastingEndpoint&)> awaited;
    std::deque<Datagram> inbox;
    std::uint64_t sent = 0;
    Instant died = transport::never;
    int tellings = 0;  ///< of its end
    int changes = 0;
    bool dead = false;
    bool ended = false;  ///< its thread
    bool finished = false;
    std::string error;
    std::condition_variable turned;
    std::thread thread;
  };

  class Waist;

  Index count() const { return static_cast<Index>(processes_.size()); }
  Process& of(Index index) { return *processes_[static_cast<std::size_t>(index)]; }
  const Process& of(Index index) const { return *processes_[static_cast<std::size_t>(index)]; }
  const Process& last_of(Slot slot) const;
  /// The process that has got the slot last; nobody, if none has.
  Index holder_of(Slot slot) const;
  bool over() const;
  bool is_cut(Index from, Index to) const;
  /// Whether it can tell the launcher whom it misses.
  bool tells(const Process& process) const;

  /// A process for the slot, which knows where the newest of the others are, and those whose places they are to have.
  Process& add(Slot slot);
  void begin(Index index);

  // On a process's thread.

  void live(Index index);
  std::function<double()> clock_of(Index index) const;
  bool live_in_world(Slot slot, Waist& waist, Carried& carried);
  void wait(Index index, std::function<bool(const LastingEndpoint&)> done);
  void pass_turn(Process& process, Index index);
  void give_back();

  // On the test's thread.

  void give_turn(Index index);
  void kill(Index index);

  void tick();
  void take(Process& process, Datagram& datagram);
  /// As a launcher does: in the place of each slot's process that has died, or that somebody misses.
  void start_new_ones();
  void start_who_joins();
  /// As a launcher does.
  void tell_of_ends();
  void tell_of_end(const Process& process);
  void tell_all(const transport::LossNotice& notice);
  void knock_for(Process& process, Slot slot);
  void seek_seat(Index index);
  void work(Index index);
  /// To where the process takes that station to be. Returns whether the process still lives, and is awake.
  bool send(Index index, transport::Station to, std::span<const std::byte> bytes);
  bool send_to(Index receiver, Index index, std::span<const std::byte> bytes);

  static constexpr Index nobody = -1;

  Plan plan_;
  Program program_;
  static constexpr Instant beginning{std::chrono::seconds{1}};
  Instant now_ = beginning;
  std::mt19937_64 random_;
  transport::EndpointConfig config_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<Index> newest_;    ///< by slot: its process that was started last
  std::size_t joined_ = 0;       ///< so many of Plan::joins_at
  std::map<Slot, Instant> due_;  ///< when a new one is
  std::map<transport::Epoch, std::optional<std::uint64_t>> reached_;
  std::map<transport::Epoch, std::uint64_t> states_;
  std::deque<Datagram> datagrams_;
  std::mutex mutex_;
  Index turn_ = nobody;
  std::condition_variable given_back_;
};

}  // namespace lbsp::lasting
