#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lbsp/checkpoint/folder.hpp"
#include "lbsp/checkpoint/recovery.hpp"
#include "lbsp/checkpoint/store.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"
#include "transport/background.hpp"
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
  };

  /// Whether the job keeps states at all.
  static bool is_needed(const World& world);

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
  /// This rank's own state of that number. Until the next save(). None if it has joined() since.
  std::span<const std::byte> own() const { return own_; }
  /// This rank has come to the others after that state was saved, in nobody's place.
  bool joined() const { return joined_; }
  /// Those that it has inherited.
  const std::vector<State>& inherited() const { return inherited_; }

  /// Whether a state may be saved now: not before all ranks have the one before, which is two supersteps after it or
  /// more, but not after as many as there were between that one and the one before, if those were two or more.
  bool due() const { return store_.due(); }
  void save(std::uint64_t number, Bytes state);

 private:
  friend class World;
  using Pieces = Queue<std::byte, checkpoint::PieceHead>;
  /// A part of a piece that travels in a message.
  struct PartHead {
    std::uint64_t serial = 0;
    std::uint64_t offset = 0;  ///< in the piece as it is packed
  };
  /// What a new process must know of the checkpoint that the others go on from.
  struct Told {
    std::uint64_t number = 0;
    std::uint64_t first_generation = 0;
    Rank rank = 0;  ///< its own, in the world that saved; -1: it has joined since
    std::int32_t needed = 0;
  };

  void begin_to_send(std::uint64_t supersteps);
  void send_rest();
  void take_pieces();
  void before_sync();
  std::optional<std::uint64_t> after_sync();
  void go_on_from(const checkpoint::Checkpoint& base, const Heir& heir);
  void inherit(const checkpoint::Checkpoint& base, const Heir& heir);
  void tell(const checkpoint::Checkpoint& base, const checkpoint::Recovery& recovery,
            const Queue<Told>& told) const;
  void give(const checkpoint::Checkpoint& base, const checkpoint::Recovery& recovery, const Heir& heir);
  void be_told();
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
  Pieces pieces_;                            ///< those that restore lost states
  Queue<std::byte, PartHead> parts_;         ///< of those of states that are saved
  transport::Background* const background_;  ///< none: pieces travel in messages only
  std::uint64_t saved_in_;                   ///< the superstep of the last save(), or of the beginning
  bool grows_;
  std::optional<checkpoint::Folder> folder_;  ///< none: nothing is kept on disk
  std::optional<std::uint64_t> restored_;
  std::span<const std::byte> own_;
  Bytes read_;  ///< from a file, or from others: what own_ is of
  std::vector<State> inherited_;
  bool joined_ = false;
};

}  // namespace lbsp
