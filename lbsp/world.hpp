#pragma once

#include <any>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "lbsp/notes.hpp"
#include "lbsp/trace/history.hpp"
#include "transport/exchange.hpp"
#include "transport/units.hpp"
#include "transport/world_change.hpp"

namespace lbsp {

namespace superstep {
class Engine;
struct CollectiveCall;
struct Wording;
}  // namespace superstep

class BesideSync;
class Carried;

/// A rank's view of the job: which rank it is, and the end of each superstep. Every rank runs the same
/// program with a World of its own, which lbsp::run (lbsp/job/run.hpp) makes. Only one thread may use it.
///
/// Data moves by coarrays (lbsp/coarray.hpp), registered memory (lbsp/area.hpp) and queues (lbsp/queue.hpp).
/// Nothing that is put, got or sent is visible before sync(); everything is visible after it.
class World {
 public:
  /// Makes a World over any backend. `exchange` must outlive the World, and the World must outlive everything
  /// that is registered with it.
  explicit World(transport::Exchange& exchange);
  /// The same in a job that outlives its ranks: with what this rank carries from the last world to this one, which
  /// must outlive the World.
  World(transport::Exchange& exchange, Carried& carried);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  Rank rank() const;
  Rank size() const;

  /// The number of the current superstep, from 0.
  std::uint64_t superstep() const;

  /// Ends the superstep. Returns when everything addressed to this rank in it has arrived and been carried
  /// out. Costs one message to every rank, and a second to each rank that asked this one by a get.
  ///
  /// Throws UsageError if the ranks disagree (one has ended its program, or registered something else) or if a
  /// transfer is out of range here. Throws PeerLost or Aborted if another rank is gone. After an error the job is
  /// over. If the job goes on without ranks that are lost, it throws WorldChanged instead: this World is over, and
  /// lbsp::run calls the program again with the next one.
  void sync();
  /// The same, and does `work` while the messages are on their way, over UDP between hosts; where ranks exchange
  /// messages otherwise, when they have come. It finds registered memory as it was before, and must not change it. It
  /// may call nothing of lbsp: UsageError if it registers or transfers anything. What it throws ends the job.
  void sync_meanwhile(const std::function<void()>& work);

  /// How this world came to be, if the program has been called before and ranks were lost meanwhile; none in the
  /// first world of a job.
  const std::optional<transport::WorldChange>& change() const;
  /// From the next sync() on, this rank can go on from here, with this state: if ranks are lost, saved() in the next
  /// world has this state, or the one saved before it. `number` says which state it is, from 1: all ranks must save the
  /// same numbers in the same supersteps, and none that is lower than one before. Copies are kept, two at most. None is
  /// kept if the job ends when a rank is lost, or if new processes take the places of lost ones: these would have no
  /// copies, so all begin again. lbsp/steps.hpp does it for a loop.
  template <class State>
  void save(std::uint64_t number, const State& state) {
    if (is_to_be_saved(number)) save_copy(number, std::any(state));
  }
  /// The state that all ranks of this world go on from, and its number; none: the program begins at its beginning.
  struct Saved {
    std::uint64_t number;
    const std::any& state;
  };
  std::optional<Saved> saved() const;
  /// Whether this call of the program has saved states, or has a Keeper: if ranks are lost, it goes on from those.
  bool saves_states() const { return saves_states_; }

  /// Whether the job goes on when ranks are lost, and the program is called again.
  bool outlives_ranks() const;
  /// What this rank alone takes along into the next world: a Thing of each type, made when it is first asked for. It is
  /// not copied, sent or taken back to what it was, so ranks must find out what each of them has; a new process has
  /// nothing. It is for programs that go on from whatever is left, as lbsp/dataflow/run.hpp does.
  template <class Thing>
  Thing& luggage() {
    std::shared_ptr<void>& one = luggage_of(typeid(Thing));
    if (!one) one = std::make_shared<Thing>();
    return *static_cast<Thing*>(one.get());
  }
  /// How far such a program has come, by a number of its own that grows only when something is done for the first time
  /// in the job; one that is lower than before does not count. If one rank is lost for the fifth time in a row, or any
  /// ranks for the tenth, and this has not grown meanwhile, the job ends. For a program that never calls this, a world
  /// that has lasted for a minute counts as progress.
  void reached(std::uint64_t how_far);
  /// New ranks may join such a program (`lbsp join`) from here on: one of the next two calls of sync() lets them in at
  /// the earliest. All ranks must call it in the same supersteps, and in no two that follow each other. Without effect
  /// if the job ends when a rank is lost. Throws UsageError if the program saves states: those are what lets ranks in
  /// then (Keep::grows).
  void admit();
  /// The mean time between losses of a host, with as many hosts as the world has: what `lbsp run --mtbf` says.
  Seconds between_failures() const;
  /// By rank: the number of its host. Empty: all differ.
  std::vector<std::uint16_t> hosts() const;

  /// The time since the World began, by this rank's steady clock. The clocks of different ranks are not
  /// related.
  Seconds time() const;

  /// Ends the job on all ranks, at any time. Their pending or next call throws Aborted, which names this rank
  /// and the reason. Throws Aborted here.
  [[noreturn]] void abort(std::string_view reason);

  /// Checks that all ranks call this in the same place with the same value. If they do not, the next sync()
  /// throws UsageError, which names two ranks. Costs no message.
  void agree(std::uint64_t value);

  /// The same of a collective; errors name what differs.
  void agree(const superstep::CollectiveCall& call);

  /// The same of a graph of tasks, as lbsp::dataflow::run does; errors say how many tokens each rank's has.
  void agree_on_graph(std::uint64_t digest, std::uint64_t tokens);

  /// For an interface on top of this one: errors about ranks that disagree then name its calls. `wording`
  /// must outlive the World.
  void speak(const superstep::Wording& wording);

  /// Whether the program found its answer right, by comparing it with an independent one. It goes into the
  /// report; empty until set.
  void set_verified(bool verified) { verified_ = verified; }
  std::optional<bool> verified() const { return verified_; }

  /// Figures of the program's own for the report (`"notes"` in that of lbsp run --json), by a group and a name in it.
  /// A name that is noted again has the last value. The report has those of the lowest rank that noted any.
  void note(const std::string& group, const std::string& name, double value) {
    const std::lock_guard lock(notes_mutex_);
    notes_[group][name] = value;
  }
  const Notes& notes() const { return notes_; }
  /// A copy of them for another thread, which may ask at any time.
  Notes notes_so_far() const {
    const std::lock_guard lock(notes_mutex_);
    return notes_;
  }

  /// From here on history() also has what a trace of the job has (lbsp/trace/figures.hpp), in fewer records where
  /// there are many ranks. To be called before the first sync().
  void trace();

  /// What the supersteps have cost this rank so far.
  const History& history() const;
  /// A copy of it for another thread, which may ask at any time.
  History history_so_far() const;
  /// The same of their sums alone.
  RunningTotals totals_so_far() const;

  /// What this rank has measured of its paths to the others. It differs from rank to rank.
  transport::NetworkMeasure network() const { return exchange_.network(); }

  /// What happens to puts, gets and messages that no sync() has carried out when the program ends.
  enum class Unsynced { refused, dropped };

  /// The orderly end, which all ranks must call in the same superstep. Returns when no rank needs anything
  /// from this one. Throws UsageError if another rank calls sync(), or if this rank has transfers that no
  /// sync() has carried out, unless `transfers` allows dropping them. lbsp::run calls it when the program
  /// returns.
  void finish(Unsynced transfers = Unsynced::refused);

  /// The transfers that no sync() has carried out, such as "24 bytes put, 1 get"; empty if there are none.
  std::string unsynced() const;

 private:
  friend class Registration;
  friend class Keeper;

  std::shared_ptr<void>& luggage_of(std::type_index type);
  bool is_to_be_saved(std::uint64_t number);
  void save_copy(std::uint64_t number, std::any state);

  transport::Exchange& exchange_;
  std::unique_ptr<Carried> own_;  ///< of a World that is the only one
  Carried& carried_;
  BesideSync* beside_ = nullptr;  ///< a Keeper, while there is one
  std::unique_ptr<superstep::Engine> engine_;
  std::chrono::steady_clock::time_point began_;  ///< as the first superstep has
  bool saves_states_ = false;
  bool admits_ = false;
  std::optional<bool> verified_;
  Notes notes_;
  mutable std::mutex notes_mutex_;  ///< for what changes them, and for other threads
};

}  // namespace lbsp
