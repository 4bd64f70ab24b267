#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lbsp/checkpoint/layout.hpp"
#include "lbsp/checkpoint/piece.hpp"

namespace lbsp::checkpoint {

/// What a rank has of one checkpoint of the job.
struct Checkpoint {
  std::uint64_t serial = 0;   ///< counts the job's checkpoints, from 1
  std::uint64_t number = 0;   ///< the program's own: which state it is
  std::uint32_t epoch = 0;    ///< of the world that took it
  std::vector<Rank> members;  ///< by rank of that world: the rank at the job's start
  Layout layout;              ///< of that world
  /// The state that other hosts keep, which is this one or an older one; none: they keep none.
  std::optional<std::uint64_t> elsewhere = {};
  Image own = {};
  std::vector<Piece> pieces = {};  ///< of others' states of that number
};

/// The checkpoints of one rank: its own states and pieces of the others', never of more than two. A state machine
/// without I/O; all ranks of a job are to call it alike.
///
/// A checkpoint is taken with a state (save()), and its pieces go with the messages of the superstep that follows, or
/// early: they are awaited before a later superstep. Who has all its pieces can go on from it. Who has completed the
/// superstep that follows on that knows that all others can: then the checkpoint before is dropped, and not sooner is
/// another one due.
///
/// A checkpoint may also be taken of which nothing is sent: each rank has its own new state then, and the pieces of the
/// last ones that were sent, for a program that can bring new processes from those to the new ones.
class Store {
 public:
  struct Addressed {
    Rank keeper;
    Piece piece;
  };

  struct World {
    std::uint32_t epoch = 0;
    std::vector<Rank> members;  ///< by rank, the rank at the job's start
  };
  /// One begins. `hosts`: by rank at the job's start, otherwise as in Layout, as is `survive`.
  void begin_world(Rank self, World world, std::span<const std::uint16_t> hosts, int survive);

  /// Whether a checkpoint may be taken now.
  bool due() const { return !newest_; }
  /// Takes one, of which other hosts get pieces or not. Throws UsageError if none is due, or if pieces are not to be
  /// sent and those of the last ones are of another world.
  void save(std::uint64_t number, Bytes state, bool elsewhere = true);
  /// One is taken, and its pieces are to be sent, in the superstep that ends now.
  bool begins() const { return newest_ && !complete_ && !awaited_before_; }
  /// What is to be sent in the superstep that ends now.
  std::vector<Addressed> to_send() const;
  /// They have been sent early, and are awaited before the superstep with this number ends.
  void sent_early(std::uint64_t superstep) { awaited_before_ = superstep; }
  /// The superstep with this number ends now. Whether early pieces are to be taken first. If they should have been
  /// before an earlier one, as nobody was there to take them, the checkpoint begins anew.
  bool awaits_early(std::uint64_t superstep);
  /// Who sends this rank pieces of the checkpoint.
  std::vector<Rank> sources() const;
  /// What came in the superstep that has just ended, or early. What is of no checkpoint here is dropped.
  void take(Piece piece);
  /// The early ones have been taken. Returns the serial of the checkpoint, which this rank can go on from now.
  std::uint64_t early_taken();
  /// After a superstep. Returns the serial of a checkpoint that this rank can go on from now, if it is new.
  std::optional<std::uint64_t> superstep_completed();

  /// The world has changed: all go on from the checkpoint with this serial; 0: from the job's beginning. Throws Error
  /// if this rank does not have it, unless it is a new process that has come when the others had it already.
  void change_to(std::uint64_t serial);
  /// Of the checkpoint with this serial, before change_to(): Checkpoint::number, or 0 for the job's beginning. None:
  /// this rank does not have it.
  std::optional<std::uint64_t> number_of(std::uint64_t serial) const;
  /// This process is a new one, which comes to the others when they go on from that checkpoint.
  void come_to(std::uint64_t serial);
  /// All go on from a checkpoint that this rank does not have, because its process is newer. Others tell it.
  bool is_newcomer() const { return serial_ > 0 && !common_ && !newest_; }
  /// What this world goes on from, until another checkpoint has replaced it; none: from the job's beginning.
  const Checkpoint* base() const { return common_ ? &*common_ : nullptr; }
  /// All ranks have kept a state in this world.
  bool has_base_of_this_world() const { return common_ && common_->epoch == world_.epoch; }
  bool used() const { return serial_ > 0; }
  /// Of the checkpoint that was taken last; 0: of none.
  std::uint64_t serial() const { return serial_; }
  /// How many bytes of this rank's state are sent for each of its own.
  double sent_part() const;

 private:
  void replace_common();

  Rank self_ = 0;
  World world_;
  Layout layout_;
  std::uint64_t come_to_ = 0;         ///< what the others went on from when this process came; 0: no matter
  std::uint64_t serial_ = 0;          ///< of the checkpoint taken last
  std::optional<Checkpoint> common_;  ///< all ranks can go on from it; none: from the beginning
  std::optional<Checkpoint> newest_;
  bool sends_ = false;                           ///< pieces of the newest go to other hosts
  bool complete_ = false;                        ///< this rank has all that it is to have of the newest
  std::optional<std::uint64_t> awaited_before_;  ///< the pieces of the newest, which are early
};

}  // namespace lbsp::checkpoint
