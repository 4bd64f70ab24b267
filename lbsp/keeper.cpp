#include "lbsp/keeper.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "lbsp/carried.hpp"
#include "lbsp/superstep/engine.hpp"
#include "transport/error.hpp"

namespace lbsp {
namespace {

constexpr Rank nobody = -1;

}  // namespace

bool Keeper::is_needed(const World& world) {
  return world.carried_.survival().outlives_ranks || is_for_disk(world);
}

bool Keeper::is_for_disk(const World& world) {
  const Survival& survival = world.carried_.survival();
  return !survival.checkpoint.empty() || !survival.restart.empty();
}

Keeper::Keeper(World& world, const Heir& heir, bool grows)
    : world_(world), store_(world.carried_.store()), pieces_(world) {
  Carried& carried = world.carried_;
  const Survival& survival = carried.survival();
  if (world.saves_states_) throw UsageError(keeps_twice);
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
  if (store_.awaits_early(world_.superstep())) receive_early();
  if (!store_.begins()) return;
  const double began = world_.carried_.seconds();
  send_pieces();
  if (plans_) tell_plan();
  sync_began_ = world_.carried_.seconds();
  world_.carried_.saving_meter().worked(sync_began_ - began);
}

void Keeper::send_pieces() {
  sent_bytes_ = 0;
  const auto pieces = store_.to_send();
  const std::uint32_t early = pieces.empty() ? 0 : supersteps_early();
  if (!pieces.empty()) world_.carried_.saving_meter().thought(expected_sending());
  if (early > 0) return send_early(pieces, early);
  for (const auto& [keeper, piece] : pieces) {
    pieces_.send(keeper, piece.head, piece.bytes);
    sent_bytes_ += piece.bytes.size();
  }
}

/// Pieces may take half of the supersteps to the next state, if each step is one. All ranks have been told the same. As
/// long as the states of lost ranks are not kept again, no time is to be lost.
std::uint32_t Keeper::supersteps_early() const {
  if (restored_ && !store_.has_base_of_this_world()) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.every / 2, world_.exchange_.most_early()));
}

void Keeper::send_early(const std::vector<checkpoint::Store::Addressed>& pieces, std::uint32_t supersteps) {
  transport::EarlyMessages messages{.outgoing = std::vector<Bytes>(static_cast<std::size_t>(world_.size())),
                                    .destinations = {},
                                    .supersteps = supersteps};
  for (const auto& [keeper, piece] : pieces) {
    messages.destinations.push_back(keeper);
    messages.outgoing[static_cast<std::size_t>(keeper)] = checkpoint::message_of(piece);
  }
  world_.exchange_.send_early(std::move(messages));
  store_.sent_early(world_.superstep() + supersteps);
}

/// The exchange that follows says that this rank has the state.
void Keeper::receive_early() {
  const double began = world_.carried_.seconds();
  const std::vector<Rank> sources = store_.sources();
  const auto messages = world_.exchange_.receive_early(sources);
  for (const Rank from : sources)
    store_.take(checkpoint::piece_of_message(messages[static_cast<std::size_t>(from)]));
  const std::uint64_t held = store_.early_taken();
  world_.exchange_.hold(held);
  remove_older(held);
  const double waited = world_.carried_.seconds() - began;
  world_.carried_.saving_meter().waited(waited);
  world_.engine_->recorder().waited_before_sync(std::chrono::duration<double>(waited));
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
  if (held) remove_older(*held);
  return held;
}

/// All have begun the first superstep after they saved these, and so have written theirs.
void Keeper::remove_older(std::uint64_t serial) {
  if (folder_) folder_->remove_before({world_.carried_.generation(), serial});
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
    throw Error(
        "the states that all are to go on from are lost with all who had them: raise --survive, on more hosts if need "
        "be");
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

}  // namespace lbsp
