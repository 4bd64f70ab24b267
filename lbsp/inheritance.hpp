#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lbsp/checkpoint/recovery.hpp"
#include "lbsp/checkpoint/store.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/survival/carried.hpp"
#include "lbsp/world.hpp"
#include "transport/bytes.hpp"

namespace lbsp {

/// What a rank goes on from: its own state, and the states of lost ranks that it is given. All ranks of a world get
/// theirs together, in one superstep.
class Inheritance {
 public:
  /// The rank of this world that gets the state of a lost one, which is named by its rank in the world that saved.
  using Heir = std::function<Rank(Rank lost)>;
  struct State {
    Rank rank;  ///< in the world that saved it
    Bytes bytes;
    std::optional<std::uint64_t> number;  ///< as of own_number(); none: nothing of it was kept
  };
  using Pieces = Queue<std::byte, checkpoint::PieceHead>;

  /// `pieces` is what the states of lost ranks come by.
  Inheritance(World& world, Carried& carried, const Pieces& pieces)
      : world_(world), carried_(carried), pieces_(pieces) {}
  Inheritance(const Inheritance&) = delete;
  Inheritance& operator=(const Inheritance&) = delete;

  /// To be called before the program saves anything. A new process is told by the others what they go on from; the
  /// others know it, or find it on disk if the job begins with that. Throws as Keeper's constructor does.
  void take(const Heir& heir);

  // As Keeper's.
  std::optional<std::uint64_t> restored() const { return restored_; }
  std::span<const std::byte> own() const { return own_; }
  std::optional<std::uint64_t> own_number() const { return own_number_; }
  bool joined() const { return joined_; }
  const std::vector<State>& inherited() const { return inherited_; }

 private:
  /// What a new process must know of the checkpoint that the others go on from.
  struct Told {
    std::uint64_t number = 0;
    std::uint64_t first_generation = 0;
    Rank rank = 0;  ///< its own, in the world that saved; -1: it has joined since
    std::int32_t needed = 0;
    bool elsewhere = true;       ///< others keep a state, …
    std::uint64_t kept = 0;      ///< … which is of this number
    std::uint64_t interval = 0;  ///< Keeping::interval
  };

  void go_on_from(const checkpoint::Checkpoint& base, const Heir& heir);
  void inherit(const checkpoint::Checkpoint& base, const Heir& heir);
  void give(const checkpoint::Checkpoint& base, const checkpoint::Recovery& recovery, const Heir& heir) const;
  void tell(const checkpoint::Checkpoint& base, const checkpoint::Recovery& recovery,
            const Queue<Told>& told) const;
  void be_told();
  Rank heir_of(const checkpoint::Recovery& recovery, Rank lost, const Heir& heir) const;
  std::map<std::uint32_t, std::vector<checkpoint::Piece>> pieces_by_rank() const;
  void restart(const std::string& path, const Heir& heir);

  World& world_;
  Carried& carried_;
  const Pieces& pieces_;
  std::optional<std::uint64_t> restored_;
  std::optional<std::uint64_t> own_number_;
  std::span<const std::byte> own_;
  Bytes read_;  ///< from a file, or from others: what own_ is of
  std::vector<State> inherited_;
  bool joined_ = false;
};

/// What has come of a state.
checkpoint::Piece piece_in(const Inheritance::Pieces::Message& message);

/// Throws UsageError if the world has no such rank, for the heir of a lost one.
Rank checked_heir(Rank heir, Rank lost, Rank size);

}  // namespace lbsp
