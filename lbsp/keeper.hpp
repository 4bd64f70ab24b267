#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lbsp/beside_sync.hpp"
#include "lbsp/checkpoint/folder.hpp"
#include "lbsp/checkpoint/store.hpp"
#include "lbsp/inheritance.hpp"
#include "lbsp/saving_plan.hpp"
#include "lbsp/world.hpp"
#include "transport/bytes.hpp"

namespace lbsp {

/// Keeps the states of a program's ranks on other hosts (`lbsp run --on-failure shrink`) and on disk (`--checkpoint`),
/// and has those of lost ranks given to others: what lbsp/steps.hpp does it with. All ranks make it in the same place
/// of the program, and save in the same supersteps. A World has one at most, which must not outlive it.
///
/// docs/survival.md says what it costs and what it survives.
class Keeper final : private BesideSync {
 public:
  /// The rank of this world that gets the state of a lost one, which is named by its rank in the world that saved.
  using Heir = Inheritance::Heir;
  using State = Inheritance::State;

  /// Whether the job keeps states at all.
  static bool is_needed(const World& world);
  /// Whether it keeps them on disk, or begins with such: what a program without any can refuse at once.
  static bool is_for_disk(const World& world);

  /// If the world goes on from a state that was saved and ranks are lost, ends one superstep, in which their states
  /// are given to the new processes in their places; without those to their heirs; none: to the neighbour (Recovery).
  /// Throws Error if too little of a state is left, and UsageError if an heir is no rank. If the job begins with
  /// states on disk (`--restart`), ends one superstep in which the ranks agree on the newest that all can read; ranks
  /// that the job has not are taken for lost. Throws UsageError if there is none, or the job has more ranks than that
  /// had.
  /// `grows`: the program can go on with more ranks, which begin without a state of their own.
  Keeper(World& world, const Heir& heir, bool grows = false);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper();

  /// What this world goes on from: the number that it was saved with; none: the program's beginning.
  std::optional<std::uint64_t> restored() const { return inheritance_.restored(); }
  /// This rank's own state of own_number(). Until the next save(). None if it has joined() since.
  std::span<const std::byte> own() const { return inheritance_.own(); }
  /// That is restored(), but on a new process the state that others kept, which may be an older one (save()); none:
  /// they kept nothing, and it is to begin with the program's beginning.
  std::optional<std::uint64_t> own_number() const { return inheritance_.own_number(); }
  /// This rank has come to the others after that state was saved, in nobody's place.
  bool joined() const { return inheritance_.joined(); }
  /// Those that it has inherited.
  const std::vector<State>& inherited() const { return inheritance_.inherited(); }

  /// Whether a state may be saved now: not before all ranks have the one before, two supersteps after it.
  bool due() const { return store_.due(); }
  /// `elsewhere`: other hosts keep it. If not, a lost rank's state is lost, and a new process is given the last one
  /// that they have kept: the program must be able to bring that to this number. All ranks say the same, and the first
  /// state that a world saves must be kept elsewhere if it goes on from one.
  void save(std::uint64_t number, Bytes state, bool elsewhere = true);

  /// From now on what saving costs is measured and noted for the report (World::note()), and so many steps are done
  /// from one state to the next; none: as many as are planned (lbsp/checkpoint/interval_plan.hpp), which the rank 0
  /// of this world tells all with each state. All ranks call it in the same place, before the steps.
  /// `plan_elsewhere`: how many steps are done from one state that is kept elsewhere to the next is planned too, and
  /// the states between are kept here only.
  void keep_every(std::optional<std::uint64_t> steps, bool plan_elsewhere = false) {
    plan_.keep_every(steps, plan_elsewhere);
  }
  /// A step begins, or the last one is over. To be called before save().
  void step_begins() { plan_.step_begins(due()); }
  /// What was told or planned. The same on all ranks that have completed the same superstep.
  std::uint64_t interval() const { return plan_.interval(); }
  /// The same of states that are to be kept elsewhere; 0: each is.
  std::uint64_t interval_elsewhere() const { return plan_.interval_elsewhere(); }

 private:
  void before_sync() override;
  void send_pieces();
  std::uint32_t supersteps_early() const;
  void send_early(const std::vector<checkpoint::Store::Addressed>& pieces, std::uint32_t supersteps);
  void receive_early();
  void remove_older(std::uint64_t serial);
  void measure_sending();
  std::optional<std::uint64_t> after_sync() override;
  void begin_folder(const std::string& path);

  World& world_;
  checkpoint::Store& store_;
  Inheritance::Pieces pieces_;
  Inheritance inheritance_;
  SavingPlan plan_;
  std::size_t sent_bytes_ = 0;                ///< of its pieces, with the messages of a superstep, to others
  double sync_began_ = 0;                     ///< in which they are sent; by Carried::seconds()
  std::optional<checkpoint::Folder> folder_;  ///< none: nothing is kept on disk
};

}  // namespace lbsp
