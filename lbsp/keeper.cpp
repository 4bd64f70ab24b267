#include "lbsp/keeper.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "lbsp/carried.hpp"
#include "lbsp/superstep/engine.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp {
namespace {

constexpr Rank nobody = -1;

[[noreturn]] void throw_none(const checkpoint::Folder& folder) {
  if (!std::filesystem::is_directory(folder.path()))
    throw UsageError(
        fmt::format("--restart {}: there is no such folder: give that of an earlier --checkpoint",
                    folder.path().string()));
  throw UsageError(fmt::format(
      "{} has no states that all ranks can begin with, as there are none, or some are missing or damaged: give "
      "the folder of an earlier --checkpoint, which each host must have, or start without --restart and with "
      "an empty folder",
      folder.path().string()));
}

/// Bytes of one program mean nothing to another, even where there are as many.
void require_own(const checkpoint::Folder& folder, const checkpoint::Folder::State& state,
                 const checkpoint::ProgramName& own) {
  const auto saved = checkpoint::text_of(state.what.program);
  if (saved == checkpoint::text_of(own)) return;
  throw UsageError(
      fmt::format("the states in {} are those of {}, and this is {}: give --restart the folder of this "
                  "program's states",
                  folder.path().string(), printable(saved), printable(checkpoint::text_of(own))));
}

}  // namespace

bool Keeper::is_needed(const World& world) {
  const Survival& survival = world.carried_.survival();
  return survival.outlives_ranks || !survival.checkpoint.empty() || !survival.restart.empty();
}

Keeper::Keeper(World& world, const Heir& heir, bool grows)
    : world_(world), store_(world.carried_.store()), pieces_(world) {
  Carried& carried = world.carried_;
  const Survival& survival = carried.survival();
  if (world.keeper_ != nullptr) throw UsageError("states are kept by two at once: use one Steps at a time");
  world.saves_states_ = true;
  carried.begin_keeping(world.rank(), world.size());
  if (store_.is_newcomer()) {
    be_told();
  } else if (const checkpoint::Checkpoint* const base = store_.base()) {
    go_on_from(*base, heir);
  } else if (!survival.restart.empty()) {
    restart(heir);
  }
  if (!survival.checkpoint.empty()) begin_folder(survival.checkpoint);
  if (grows && survival.outlives_ranks && survival.checkpoint.empty()) world.exchange_.grow();
  world.keeper_ = this;
}

Keeper::~Keeper() {
  if (world_.keeper_ == this) world_.keeper_ = nullptr;
}

void Keeper::begin_folder(const std::string& path) {
  folder_.emplace(checkpoint::Folder::make(path));
  Carried& carried = world_.carried_;
  if (carried.change()) return;
  carried.claim(path, world_.rank());
  folder_->remove_unfinished(world_.rank());
  if (carried.survival().restart != path && !folder_->of_rank(world_.rank()).empty())
    throw UsageError(fmt::format(
        "{} has states of an earlier job: go on from them with --restart {}, or give an empty folder", path,
        path));
}

void Keeper::save(std::uint64_t number, Bytes state, bool elsewhere) {
  world_.agree(number);
  world_.agree(elsewhere ? 1 : 0);
  own_bytes_ = static_cast<double>(state.size());
  if (folder_) {
    const checkpoint::Place place{world_.carried_.generation(), store_.serial() + 1};
    folder_->write({.place = place,
                    .number = number,
                    .rank = world_.rank(),
                    .ranks = world_.size(),
                    .program = world_.carried_.program()},
                   state);
  }
  store_.save(number, std::move(state), elsewhere);
  if (!step_began_) return;
  checkpoint::SavingMeter& meter = world_.carried_.saving_meter();
  const double seconds = world_.carried_.seconds() - *step_began_;
  if (!elsewhere) {
    meter.kept_here(seconds);
    return note_saving();
  }
  meter.saved();
  meter.worked(seconds);
}

void Keeper::before_sync() {
  if (!store_.begins()) return;
  const double began = world_.carried_.seconds();
  sent_bytes_ = 0;
  for (const auto& [keeper, piece] : store_.to_send()) {
    pieces_.send(keeper, piece.head, piece.bytes);
    sent_bytes_ += piece.bytes.size();
  }
  if (plans_) tell_plan();
  sync_began_ = world_.carried_.seconds();
  world_.carried_.saving_meter().worked(sync_began_ - began);
}

/// What is in a message longer makes it take longer in proportion, but for the delay of the path.
void Keeper::measure_sending() {
  const double took = world_.carried_.seconds() - sync_began_;
  const double delay = std::chrono::duration<double>(world_.network().round_trip_time).count();
  const double all_bytes = static_cast<double>(world_.engine_->recorder().bytes_of_last_sync());
  const double part =
      static_cast<double>(sent_bytes_) / std::max(all_bytes, static_cast<double>(sent_bytes_));
  world_.carried_.saving_meter().sent(std::max(0.0, took - delay) * part);
}

std::optional<std::uint64_t> Keeper::after_sync() {
  for (const auto message : pieces_)
    store_.take(piece_in(message));
  if (plans_) {
    for (const auto message : *plans_) {
      plan_ = message.values()[0];
      if (plans_every_) world_.carried_.set_interval(plan_.every);
    }
  }
  if (store_.begins() && sent_bytes_ > 0) measure_sending();
  const auto held = store_.superstep_completed();
  // All have come to this superstep, and so have written theirs.
  if (held && folder_) folder_->remove_before({world_.carried_.generation(), *held});
  return held;
}

checkpoint::Piece Keeper::piece_in(const Pieces::Message& message) {
  const auto bytes = message.values();
  return {message.tag(), {bytes.begin(), bytes.end()}};
}

Rank Keeper::checked(Rank heir, Rank lost) const {
  if (heir < 0 || heir >= world_.size())
    throw UsageError(
        fmt::format("the heir of rank {} is to be rank {}: choose 0 to {}", lost, heir, world_.size() - 1));
  return heir;
}

void Keeper::go_on_from(const checkpoint::Checkpoint& base, const Heir& heir) {
  restored_ = base.number;
  own_number_ = base.number;
  own_ = std::span(base.own.bytes).first(base.own.length);
  inherit(base, heir);
}

void Keeper::give(const checkpoint::Checkpoint& base, const checkpoint::Recovery& recovery,
                  const Heir& heir) {
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

Rank Keeper::heir_of(const checkpoint::Recovery& recovery, Rank lost, const Heir& heir) const {
  if (const auto successor = recovery.successor(lost)) return *successor;
  return heir ? checked(heir(lost), lost) : recovery.neighbour(lost);
}

std::map<std::uint32_t, std::vector<checkpoint::Piece>> Keeper::pieces_by_rank() const {
  std::map<std::uint32_t, std::vector<checkpoint::Piece>> arrived;
  for (const auto message : pieces_)
    arrived[message.tag().of].push_back(piece_in(message));
  return arrived;
}

void Keeper::tell(const checkpoint::Checkpoint& base, const checkpoint::Recovery& recovery,
                  const Queue<Told>& told) const {
  const auto tell_one = [&](Rank newcomer, Rank before) {
    told.send(
        newcomer, 0,
        Told{base.number, world_.carried_.first_generation(), before, std::int32_t{base.layout.needed()},
             base.elsewhere.has_value(), base.elsewhere.value_or(0), world_.carried_.interval()});
  };
  for (const Rank lost : recovery.lost())
    if (const auto successor = recovery.successor(lost)) tell_one(*successor, lost);
  for (const Rank joined : recovery.joined())
    tell_one(joined, nobody);
}

void Keeper::inherit(const checkpoint::Checkpoint& base, const Heir& heir) {
  const Carried& carried = world_.carried_;
  const checkpoint::Recovery recovery(base, carried.members(world_.size()), carried.newer_than(base.epoch));
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

void Keeper::be_told() {
  const Queue<Told> told(world_);
  world_.sync();
  std::optional<Told> word;
  for (const auto message : told)
    word = message.values()[0];
  if (!word)
    throw Error("the states that all are to go on from are lost with all who had them: raise --survive");
  restored_ = word->number;
  joined_ = word->rank == nobody;
  if (!joined_ && word->elsewhere) own_number_ = word->kept;
  world_.carried_.set_first_generation(word->first_generation);
  world_.carried_.set_interval(word->interval);
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

/// What this rank is to begin with: its own state, then those that it inherits; nothing if one of them cannot be read.
std::vector<checkpoint::Folder::State> Keeper::states_at(const checkpoint::Folder& folder,
                                                         const checkpoint::Place& place,
                                                         const Heir& heir) const {
  std::vector<checkpoint::Folder::State> states;
  auto own = folder.read(place, world_.rank());
  if (!own) return {};
  require_own(folder, *own, world_.carried_.program());
  const Rank ranks = own->what.ranks;
  states.push_back(std::move(*own));
  for (Rank lost = world_.size(); lost < ranks; ++lost) {
    const Rank to = heir ? checked(heir(lost), lost) : world_.size() - 1;
    if (to != world_.rank()) continue;
    auto state = folder.read(place, lost);
    if (!state) return {};
    require_own(folder, *state, world_.carried_.program());
    states.push_back(std::move(*state));
  }
  return states;
}

/// The newest of which each rank has all that it is to begin with; none, if no rank has any file.
std::optional<checkpoint::Place> Keeper::common_place(const checkpoint::Folder& folder, const Heir& heir) {
  const Queue<checkpoint::Filed> offers(world_);
  const Queue<std::byte> files(world_);  // also of such as cannot be read
  for (Rank to = 0; to < world_.size() && !folder.of_rank(world_.rank()).empty(); ++to)
    files.send(to, 0, std::byte{});
  for (const checkpoint::Place& place : folder.of_rank(world_.rank())) {
    const auto states = states_at(folder, place, heir);
    for (Rank to = 0; to < world_.size() && !states.empty(); ++to)
      offers.send(to, 0, states.front().what);
  }
  world_.sync();
  std::map<checkpoint::Place, Rank> offering;
  for (const auto message : offers) {
    const checkpoint::Filed& offer = message.values()[0];
    if (offer.ranks < world_.size())
      throw UsageError(fmt::format("the states in {} are of {} ranks, and these are {}: start {} or fewer",
                                   folder.path().string(), offer.ranks, world_.size(), offer.ranks));
    ++offering[offer.place];
  }
  for (auto found = offering.rbegin(); found != offering.rend(); ++found)
    if (found->second == world_.size()) return found->first;
  if (files.empty()) return std::nullopt;
  throw_none(folder);
}

/// A folder that the job is to keep its states in as well may be empty: then this is its first start.
void Keeper::restart(const Heir& heir) {
  const Survival& survival = world_.carried_.survival();
  const checkpoint::Folder folder(survival.restart);
  const auto place = common_place(folder, heir);
  if (!place && survival.restart == survival.checkpoint) return;
  if (!place) throw_none(folder);
  auto states = states_at(folder, *place, heir);
  if (states.empty())
    throw Error(fmt::format("states in {} have changed while they were read: start the job again",
                            folder.path().string()));
  restored_ = states.front().what.number;
  own_number_ = restored_;
  read_ = std::move(states.front().bytes);
  own_ = read_;
  for (std::size_t i = 1; i < states.size(); ++i)
    inherited_.push_back({states[i].what.rank, std::move(states[i].bytes), restored_});
  world_.carried_.restarted(place->generation);
}

}  // namespace lbsp
