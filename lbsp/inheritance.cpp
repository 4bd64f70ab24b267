#include "lbsp/inheritance.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "lbsp/states_on_disk.hpp"
#include "transport/error.hpp"

namespace lbsp {
namespace {

constexpr Rank nobody = -1;

}  // namespace

void Inheritance::take(const Heir& heir) {
  const std::string& path = carried_.survival().restart;
  if (carried_.keeping().store.is_newcomer()) {
    be_told();
  } else if (const checkpoint::Checkpoint* const base = carried_.keeping().store.base()) {
    go_on_from(*base, heir);
  } else if (!path.empty()) {
    restart(path, heir);
  }
}

void Inheritance::go_on_from(const checkpoint::Checkpoint& base, const Heir& heir) {
  restored_ = base.number;
  own_number_ = base.number;
  own_ = std::span(base.own.bytes).first(base.own.length);
  inherit(base, heir);
}

void Inheritance::inherit(const checkpoint::Checkpoint& base, const Heir& heir) {
  const checkpoint::Recovery recovery(base, carried_.roster().members(world_.size()),
                                      carried_.roster().newer_than(base.epoch));
  if (recovery.lost().empty() && recovery.joined().empty()) return;
  const Queue<Told> told(world_);
  give(base, recovery, heir);
  if (recovery.teller() == world_.rank()) tell(base, recovery, told);
  world_.sync();
  for (auto& [of, pieces] : pieces_by_rank())
    inherited_.push_back(
        {static_cast<Rank>(of), checkpoint::join(std::move(pieces), base.layout.needed()), base.elsewhere});
  for (const Rank lost : recovery.lost())
    if (!base.elsewhere && !recovery.successor(lost) && heir_of(recovery, lost, heir) == world_.rank())
      inherited_.push_back({lost, {}, {}});
}

void Inheritance::give(const checkpoint::Checkpoint& base, const checkpoint::Recovery& recovery,
                       const Heir& heir) const {
  for (const Rank lost : recovery.lost()) {
    const Rank to = heir_of(recovery, lost, heir);
    for (const auto& source : recovery.sources(lost)) {
      if (source.rank != world_.rank()) continue;
      const auto is_it = [&](const checkpoint::Piece& piece) {
        return piece.head.of == static_cast<std::uint32_t>(lost) && piece.head.index == source.index;
      };
      const auto found = std::ranges::find_if(base.pieces, is_it);
      if (found != base.pieces.end()) pieces_.send(to, found->head, found->bytes);
    }
  }
}

void Inheritance::tell(const checkpoint::Checkpoint& base, const checkpoint::Recovery& recovery,
                       const Queue<Told>& told) const {
  const auto tell_one = [&](Rank newcomer, Rank before) {
    told.send(
        newcomer, 0,
        Told{base.number, carried_.keeping().first_generation, before, std::int32_t{base.layout.needed()},
             base.elsewhere.has_value(), base.elsewhere.value_or(0), carried_.keeping().interval});
  };
  for (const Rank lost : recovery.lost())
    if (const auto successor = recovery.successor(lost)) tell_one(*successor, lost);
  for (const Rank joined : recovery.joined())
    tell_one(joined, nobody);
}

void Inheritance::be_told() {
  const Queue<Told> told(world_);
  world_.sync();
  std::optional<Told> word;
  for (const auto message : told)
    word = message.values()[0];
  if (!word)
    throw Error(
        "the states that all are to go on from are lost with all who had them: raise --survive, on more hosts if need "
        "be");
  restored_ = word->number;
  joined_ = word->rank == nobody;
  if (!joined_ && word->elsewhere) own_number_ = word->kept;
  carried_.keeping().first_generation = word->first_generation;
  carried_.keeping().interval = word->interval;
  for (auto& [of, pieces] : pieces_by_rank()) {
    Bytes state = checkpoint::join(std::move(pieces), word->needed);
    if (static_cast<Rank>(of) == word->rank) {
      read_ = std::move(state);
      own_ = read_;
    } else {
      inherited_.push_back({static_cast<Rank>(of), std::move(state), word->kept});
    }
  }
}

Rank Inheritance::heir_of(const checkpoint::Recovery& recovery, Rank lost, const Heir& heir) const {
  if (const auto successor = recovery.successor(lost)) return *successor;
  return heir ? checked_heir(heir(lost), lost, world_.size()) : recovery.neighbour(lost);
}

std::map<std::uint32_t, std::vector<checkpoint::Piece>> Inheritance::pieces_by_rank() const {
  std::map<std::uint32_t, std::vector<checkpoint::Piece>> arrived;
  for (const auto message : pieces_)
    arrived[message.tag().of].push_back(piece_in(message));
  return arrived;
}

/// A folder that the job is to keep its states in as well may be empty: then this is its first start.
void Inheritance::restart(const std::string& path, const Heir& heir) {
  const StatesOnDisk disk(world_, carried_.program(), path, heir);
  const auto place = disk.common_place();
  if (!place && path == carried_.survival().checkpoint) return;
  if (!place) disk.throw_none();
  auto states = disk.at(*place);
  if (states.empty())
    throw Error(fmt::format("states in {} have changed while they were read: start the job again", path));
  restored_ = states.front().what.number;
  own_number_ = restored_;
  read_ = std::move(states.front().bytes);
  own_ = read_;
  for (std::size_t i = 1; i < states.size(); ++i)
    inherited_.push_back({states[i].what.rank, std::move(states[i].bytes), restored_});
  carried_.keeping().first_generation = place->generation + 1;
}

checkpoint::Piece piece_in(const Inheritance::Pieces::Message& message) {
  const auto bytes = message.values();
  return {message.tag(), {bytes.begin(), bytes.end()}};
}

Rank checked_heir(Rank heir, Rank lost, Rank size) {
  if (heir < 0 || heir >= size)
    throw UsageError(
        fmt::format("the heir of rank {} is to be rank {}: choose 0 to {}", lost, heir, size - 1));
  return heir;
}

}  // namespace lbsp
