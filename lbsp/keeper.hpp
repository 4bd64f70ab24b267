#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lbsp/checkpoint/folder.hpp"
#include "lbsp/checkpoint/interval_plan.hpp"
#include "lbsp/checkpoint/recovery.hpp"
#include "lbsp/checkpoint/store.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"
#include "transport/bytes.hpp"

namespace lbsp {

/// Keeps the states of a program's ranks on other hosts (`lbsp run --on-failure shrink`) and on disk (`--checkpoint`),
/// and has those of lost ranks given to others: what lbsp/steps.hpp does it with. All ranks make it in the same place
/// of the program, and save in the same supersteps. A World has one at most, which must not outlive it.
///
/// docs/survival.md says what it costs and what it survives.
class Keeper {
 public:
  /// The rank of this world that gets the state of a lost one, which is named by its rank in the world that saved.
  using Heir = std::function<Rank(Rank lost)>;
  struct State {
    Rank rank;  ///< in the world that saved it
    Bytes bytes;
    std::optional<std::uint64_t> number;  ///< as of own_number(); none: nothing of it was kept
  };

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
  std::optional<std::uint64_t> restored() const { return restored_; }
  /// This rank's own state of own_number(). Until the next save(). None if it has joined() since.
  std::span<const std::byte> own() const { return own_; }
  /// That is restored(), but on a new process the state that others kept, which may be an older one (save()); none:
  /// they kept nothing, and it is to begin with the program's beginning.
  std::optional<std::uint64_t> own_number() const { return own_number_; }
  /// This rank has come to the others after that state was saved, in nobody's place.
  bool joined() const { return joined_; }
  /// Those that it has inherited.
  const std::vector<State>& inherited() const { return inherited_; }

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
  void keep_every(std::optional<std::uint64_t> steps, bool plan_elsewhere = false);
  /// A step begins, or the last one is over. To be called before save().
  void step_begins();
  /// What was told or planned. The same on all ranks that have completed the same superstep.
  std::uint64_t interval() const { return plan_.every; }
  /// The same of states that are to be kept elsewhere; 0: each is.
  std::uint64_t interval_elsewhere() const { return plans_elsewhere_ ? plan_.elsewhere : 0; }

 private:
  friend class World;
  using Pieces = Queue<std::byte, checkpoint::PieceHead>;
  /// Steps from one state to the next, of all states and of those that are kept elsewhere.
  struct Plan {
    std::uint64_t every = checkpoint::first_interval;
    std::uint64_t elsewhere = not_told;
  };
  static constexpr std::uint64_t not_told = std::numeric_limits<std::uint64_t>::max();
  /// What a new process must know of the checkpoint that the others go on from.
  struct Told {
    std::uint64_t number = 0;
    std::uint64_t first_generation = 0;
    Rank rank = 0;  ///< its own, in the world that saved; -1: it has joined since
    std::int32_t needed = 0;
    bool elsewhere = true;       ///< others keep a state, …
    std::uint64_t kept = 0;      ///< … which is of this number
    std::uint64_t interval = 0;  ///< Carried::interval()
  };

  void before_sync();
  void send_pieces();
  std::uint32_t supersteps_early() const;
  void send_early(const std::vector<checkpoint::Store::Addressed>& pieces, std::uint32_t supersteps);
  void receive_early();
  void remove_older(std::uint64_t serial);
  void measure_sending();
  void tell_plan() const;
  Plan next_plan() const;
  checkpoint::SavingMeasure expected_measure() const;
  /// Seconds that the newest state's bytes take at the rate of this rank.
  double expected_sending() const;
  std::optional<double> forecast(const checkpoint::SavingMeasure& measure) const;
  void note_saving() const;
  std::optional<std::uint64_t> after_sync();
  void go_on_from(const checkpoint::Checkpoint& base, const Heir& heir);
  void inherit(const checkpoint::Checkpoint& base, const Heir& heir);
  void tell(const checkpoint::Checkpoint& base, const checkpoint::Recovery& recovery,
            const Queue<Told>& told) const;
  void give(const checkpoint::Checkpoint& base, const checkpoint::Recovery& recovery, const Heir& heir);
  void be_told();
  Rank heir_of(const checkpoint::Recovery& recovery, Rank lost, const Heir& heir) const;
  std::map<std::uint32_t, std::vector<checkpoint::Piece>> pieces_by_rank() const;
  void restart(const Heir& heir);
  std::vector<checkpoint::Folder::State> states_at(const checkpoint::Folder& folder,
                                                   const checkpoint::Place& place, const Heir& heir) const;
  std::optional<checkpoint::Place> common_place(const checkpoint::Folder& folder, const Heir& heir);
  void begin_folder(const std::string& path);
  Rank checked(Rank heir, Rank lost) const;
  static checkpoint::Piece piece_in(const Pieces::Message& message);

  World& world_;
  checkpoint::Store& store_;
  Pieces pieces_;
  std::optional<Queue<Plan>> plans_;  ///< none: nothing is planned
  bool plans_every_ = false;
  bool plans_elsewhere_ = false;
  Plan plan_;                                 ///< what was told
  double own_bytes_ = 0;                      ///< of the newest state
  std::size_t sent_bytes_ = 0;                ///< of its pieces, with the messages of a superstep, to others
  double sync_began_ = 0;                     ///< in which they are sent; as below
  std::optional<double> step_began_;          ///< by Carried::seconds(); none: no step has
  std::uint64_t step_began_after_ = 0;        ///< so many supersteps of the world
  std::optional<checkpoint::Folder> folder_;  ///< none: nothing is kept on disk
  std::optional<std::uint64_t> restored_;
  std::optional<std::uint64_t> own_number_;
  std::span<const std::byte> own_;
  Bytes read_;  ///< from a file, or from others: what own_ is of
  std::vector<State> inherited_;
  bool joined_ = false;
};

}  // namespace lbsp
