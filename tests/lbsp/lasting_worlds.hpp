#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "lbsp/survival/carried.hpp"
#include "lbsp/world.hpp"
#include "tests/lbsp/lasting_launcher.hpp"
#include "tests/lbsp/lasting_plan.hpp"
#include "tests/lbsp/lasting_processes.hpp"
#include "tests/lbsp/one_at_a_time.hpp"
#include "tests/transport/start.hpp"
#include "transport/lasting/lasting_endpoint.hpp"

namespace lbsp::lasting {

/// A job that goes on without lost ranks, in virtual time: each rank's program runs on a thread of its own, one at a
/// time, while time stands still.
class LastingWorlds {
 public:
  using Plan = LastingPlan;
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
  bool died(Slot slot) const { return processes_.last_of(slot).dead; }
  bool finished(Slot slot) const { return processes_.last_of(slot).finished; }
  /// What its program ended with, if it was not well.
  const std::string& error(Slot slot) const { return processes_.last_of(slot).error; }
  int changes(Slot slot) const { return processes_.last_of(slot).changes; }
  /// Those of the job's start, and of processes that were to join it.
  Slot slots() const { return processes_.slots(); }
  /// How many new processes have got a slot.
  int seated() const { return processes_.seated(); }
  /// How far the job was by World::reached() whenever the world has changed, as the first process told it.
  const std::map<transport::Epoch, std::optional<std::uint64_t>>& reached() const { return reached_; }
  /// The numbers of the states that the worlds after each change have begun with, as who has them told it.
  const std::map<transport::Epoch, std::uint64_t>& states() const { return states_; }
  /// Of the process that had the slot at the job's start.
  const std::string& first_error(Slot slot) const { return processes_.of(slot).error; }

 private:
  struct Killed {};
  using Index = ProcessIndex;
  class Waist;

  // On a process's thread.

  void live(Index index);
  std::function<double()> clock_of(Index index) const;
  bool live_in_world(Slot slot, Waist& waist, Carried& carried);
  void wait(LastingProcess& process, std::function<bool(const LastingEndpoint&)> done);

  // On the test's thread.

  void begin(Index index);
  void kill(LastingProcess& process);

  void tick();
  void take(LastingProcess& process, LastingDatagram& datagram);
  void seek_seat(Index index);
  void work(Index index);
  /// To where the process takes that station to be. Returns whether the process still lives, and is awake.
  bool send(Index index, transport::Station to, std::span<const std::byte> bytes);
  bool send_to(Index receiver, Index index, std::span<const std::byte> bytes);

  Plan plan_;
  Program program_;
  Instant now_ = transport::start;
  std::mt19937_64 random_;
  transport::EndpointConfig config_;
  OneAtATime threads_;
  LastingProcesses processes_;
  LastingLauncher launcher_;
  std::map<transport::Epoch, std::optional<std::uint64_t>> reached_;
  std::map<transport::Epoch, std::uint64_t> states_;
  std::deque<LastingDatagram> datagrams_;
};

}  // namespace lbsp::lasting
