// How a Keeper keeps states on disk, and begins a job with them.
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "lbsp/carried.hpp"
#include "lbsp/checkpoint/file_name.hpp"
#include "lbsp/keeper.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/quoted_word.hpp"

namespace lbsp {
namespace {

/// A state that cannot be read, and whose it is.
struct Unread {
  checkpoint::Place place;
  Rank rank = 0;
};

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

/// Of a rank that cannot begin there, in a job of so many: its own state, or the first of a rank that the job has no
/// more.
Rank unread_at(const checkpoint::Folder& folder, const checkpoint::Place& place, Rank self, Rank ranks) {
  const auto own = folder.read(place, self);
  if (!own) return self;
  Rank lost = ranks;
  while (lost < own->what.ranks && folder.read(place, lost))
    ++lost;
  return lost;
}

[[noreturn]] void throw_unreadable(const checkpoint::Folder& folder, const checkpoint::Place& place,
                                   Rank rank) {
  throw UsageError(fmt::format(
      "the newest state of rank {}, {}, is missing or damaged, and there is no older one of all ranks: bring that file "
      "back, or start without --restart and with an empty folder",
      rank, (folder.path() / checkpoint::file_name_of(place, rank)).string()));
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

void Keeper::begin_folder(const std::string& path) {
  folder_.emplace(checkpoint::Folder::make(path));
  Carried& carried = world_.carried_;
  if (carried.change()) return;
  carried.claim(path, world_.rank());
  folder_->remove_unfinished(world_.rank());
  if (carried.survival().restart != path && !folder_->of_rank(world_.rank()).empty())
    throw UsageError(fmt::format(
        "{} has states of an earlier job: go on from them with --restart {}, or give an empty folder", path,
        quote_word(path)));
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
  const Queue<Unread> unread(world_);
  for (const checkpoint::Place& place : folder.of_rank(world_.rank())) {
    const auto states = states_at(folder, place, heir);
    const Rank first_unread = states.empty() ? unread_at(folder, place, world_.rank(), world_.size()) : 0;
    for (Rank to = 0; to < world_.size(); ++to) {
      if (states.empty()) {
        unread.send(to, 0, Unread{place, first_unread});
      } else {
        offers.send(to, 0, states.front().what);
      }
    }
  }
  world_.sync();
  std::map<checkpoint::Place, std::set<Rank>> offering;
  for (const auto message : offers) {
    const checkpoint::Filed& offer = message.values()[0];
    if (offer.ranks < world_.size())
      throw UsageError(fmt::format("the states in {} are of {} ranks, and these are {}: start {} or fewer",
                                   folder.path().string(), offer.ranks, world_.size(), offer.ranks));
    offering[offer.place].insert(message.source());
  }
  for (auto found = offering.rbegin(); found != offering.rend(); ++found)
    if (found->second.size() == static_cast<std::size_t>(world_.size())) return found->first;
  if (offering.empty() && unread.empty()) return std::nullopt;
  if (offering.empty()) throw_none(folder);
  // On all ranks alike.
  const auto& [newest, whole] = *offering.rbegin();
  for (const auto message : unread)
    if (message.values()[0].place == newest) throw_unreadable(folder, newest, message.values()[0].rank);
  Rank without = 0;
  while (whole.contains(without))
    ++without;
  throw_unreadable(folder, newest, without);
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
