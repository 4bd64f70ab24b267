#include "lbsp/keeper.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "lbsp/superstep/engine.hpp"
#include "lbsp/survival/carried.hpp"
#include "transport/error.hpp"
#include "transport/quoted_word.hpp"

namespace lbsp {

bool Keeper::is_needed(const World& world) {
  return world.carried_.survival().outlives_ranks || is_for_disk(world);
}

bool Keeper::is_for_disk(const World& world) {
  const Survival& survival = world.carried_.survival();
  return !survival.checkpoint.empty() || !survival.restart.empty();
}

Keeper::Keeper(World& world, const Heir& heir, bool grows)
    : world_(world),
      store_(world.carried_.keeping().store),
      pieces_(world),
      inheritance_(world, world.carried_, pieces_),
      plan_(world, world.carried_) {
  Carried& carried = world.carried_;
  const Survival& survival = carried.survival();
  if (world.saves_states_) throw UsageError(keeps_twice);
  world.saves_states_ = true;
  carried.begin_keeping(world.rank(), world.size());
  inheritance_.take(heir);
  if (!survival.checkpoint.empty()) begin_folder(survival.checkpoint);
  if (grows && survival.outlives_ranks && survival.checkpoint.empty()) world.exchange_.grow();
  world.beside_ = this;
}

Keeper::~Keeper() {
  if (world_.beside_ == this) world_.beside_ = nullptr;
}

void Keeper::save(std::uint64_t number, Bytes state, bool elsewhere) {
  world_.agree(number);
  world_.agree(elsewhere ? 1 : 0);
  const std::size_t bytes = state.size();
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
  plan_.saved(bytes, elsewhere);
}

void Keeper::before_sync() {
  if (store_.awaits_early(world_.superstep())) receive_early();
  if (!store_.begins()) return;
  const double began = world_.carried_.seconds();
  send_pieces();
  plan_.tell();
  sync_began_ = world_.carried_.seconds();
  world_.carried_.keeping().meter.worked(sync_began_ - began);
}

void Keeper::send_pieces() {
  sent_bytes_ = 0;
  const auto pieces = store_.to_send();
  const std::uint32_t early = pieces.empty() ? 0 : supersteps_early();
  if (!pieces.empty()) world_.carried_.keeping().meter.thought(plan_.expected_sending());
  if (early > 0) return send_early(pieces, early);
  for (const auto& [keeper, piece] : pieces) {
    pieces_.send(keeper, piece.head, piece.bytes);
    sent_bytes_ += piece.bytes.size();
  }
}

/// Pieces may take half of the supersteps to the next state, if each step is one. All ranks have been told the same. As
/// long as the states of lost ranks are not kept again, no time is to be lost.
std::uint32_t Keeper::supersteps_early() const {
  if (restored() && !store_.has_base_of_this_world()) return 0;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(plan_.interval() / 2, world_.exchange_.most_early()));
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
  world_.carried_.keeping().meter.waited(waited);
  world_.engine_->recorder().waited_before_sync(std::chrono::duration<double>(waited));
}

/// What is in a message longer makes it take longer in proportion, but for the delay of the path.
void Keeper::measure_sending() {
  const double took = world_.carried_.seconds() - sync_began_;
  const double delay = std::chrono::duration<double>(world_.network().round_trip_time).count();
  const double all_bytes = static_cast<double>(world_.engine_->recorder().bytes_of_last_sync());
  const double part =
      static_cast<double>(sent_bytes_) / std::max(all_bytes, static_cast<double>(sent_bytes_));
  world_.carried_.keeping().meter.sent(std::max(0.0, took - delay) * part);
}

std::optional<std::uint64_t> Keeper::after_sync() {
  for (const auto message : pieces_)
    store_.take(piece_in(message));
  plan_.hear();
  if (store_.begins() && sent_bytes_ > 0) measure_sending();
  const auto held = store_.superstep_completed();
  if (held) remove_older(*held);
  return held;
}

/// All have begun the first superstep after they saved these, and so have written theirs.
void Keeper::remove_older(std::uint64_t serial) {
  if (folder_) folder_->remove_before({world_.carried_.generation(), serial});
}

void Keeper::begin_folder(const std::string& path) {
  folder_.emplace(checkpoint::Folder::make(path));
  Carried& carried = world_.carried_;
  if (carried.roster().change()) return;
  carried.keeping().claim = std::make_shared<checkpoint::FolderLock>(path, world_.rank());
  folder_->remove_unfinished(world_.rank());
  if (carried.survival().restart != path && !folder_->of_rank(world_.rank()).empty())
    throw UsageError(fmt::format(
        "{} has states of an earlier job: go on from them with --restart {}, or give an empty folder", path,
        quote_word(path)));
}

}  // namespace lbsp
