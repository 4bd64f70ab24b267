#include "lbsp/states_on_disk.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "lbsp/checkpoint/file_name.hpp"
#include "lbsp/queue.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp {
namespace {

/// A state that cannot be read, and whose it is.
struct Unread {
  checkpoint::Place place;
  Rank rank = 0;
};

/// By place: the ranks that can begin there. Throws UsageError if those states are of fewer ranks than the job has.
std::map<checkpoint::Place, std::set<Rank>> by_place(const Queue<checkpoint::Filed>& offers, Rank size,
                                                     const std::string& folder) {
  std::map<checkpoint::Place, std::set<Rank>> offering;
  for (const auto message : offers) {
    const checkpoint::Filed& offer = message.values()[0];
    if (offer.ranks < size)
      throw UsageError(fmt::format("the states in {} are of {} ranks, and these are {}: start {} or fewer",
                                   folder, offer.ranks, size, offer.ranks));
    offering[offer.place].insert(message.source());
  }
  return offering;
}

Rank first_not_in(const std::set<Rank>& ranks) {
  Rank without = 0;
  while (ranks.contains(without))
    ++without;
  return without;
}

}  // namespace

std::optional<checkpoint::Place> StatesOnDisk::common_place() const {
  const Queue<checkpoint::Filed> offers(world_);
  const Queue<Unread> unread(world_);
  for (const checkpoint::Place& place : folder_.of_rank(world_.rank())) {
    const auto states = at(place);
    const Rank first_unread = states.empty() ? unread_at(place) : 0;
    for (Rank to = 0; to < world_.size(); ++to) {
      if (states.empty()) {
        unread.send(to, 0, Unread{place, first_unread});
      } else {
        offers.send(to, 0, states.front().what);
      }
    }
  }
  world_.sync();
  const auto offering = by_place(offers, world_.size(), folder_.path().string());
  for (auto found = offering.rbegin(); found != offering.rend(); ++found)
    if (found->second.size() == static_cast<std::size_t>(world_.size())) return found->first;
  if (offering.empty() && unread.empty()) return std::nullopt;
  if (offering.empty()) throw_none();
  // On all ranks alike.
  const auto& [newest, whole] = *offering.rbegin();
  for (const auto message : unread)
    if (message.values()[0].place == newest) throw_unreadable(newest, message.values()[0].rank);
  throw_unreadable(newest, first_not_in(whole));
}

std::vector<checkpoint::Folder::State> StatesOnDisk::at(const checkpoint::Place& place) const {
  std::vector<checkpoint::Folder::State> states;
  auto own = folder_.read(place, world_.rank());
  if (!own) return {};
  require_own(*own);
  const Rank ranks = own->what.ranks;
  states.push_back(std::move(*own));
  for (Rank lost = world_.size(); lost < ranks; ++lost) {
    const Rank to = heir_ ? checked_heir(heir_(lost), lost, world_.size()) : world_.size() - 1;
    if (to != world_.rank()) continue;
    auto state = folder_.read(place, lost);
    if (!state) return {};
    require_own(*state);
    states.push_back(std::move(*state));
  }
  return states;
}

/// Bytes of one program mean nothing to another, even where there are as many.
void StatesOnDisk::require_own(const checkpoint::Folder::State& state) const {
  const auto saved = checkpoint::text_of(state.what.program);
  if (saved == checkpoint::text_of(program_)) return;
  throw UsageError(
      fmt::format("the states in {} are those of {}, and this is {}: give --restart the folder of this "
                  "program's states",
                  folder_.path().string(), printable(saved), printable(checkpoint::text_of(program_))));
}

/// Whose state keeps this rank from beginning there: its own, or the first of a rank that the job has no more.
Rank StatesOnDisk::unread_at(const checkpoint::Place& place) const {
  const auto own = folder_.read(place, world_.rank());
  if (!own) return world_.rank();
  Rank lost = world_.size();
  while (lost < own->what.ranks && folder_.read(place, lost))
    ++lost;
  return lost;
}

void StatesOnDisk::throw_none() const {
  const std::string path = folder_.path().string();
  if (!std::filesystem::is_directory(folder_.path()))
    throw UsageError(
        fmt::format("--restart {}: there is no such folder: give that of an earlier --checkpoint", path));
  throw UsageError(fmt::format(
      "{} has no states that all ranks can begin with, as there are none, or some are missing or damaged: give "
      "the folder of an earlier --checkpoint, which each host must have, or start without --restart and with "
      "an empty folder",
      path));
}

void StatesOnDisk::throw_unreadable(const checkpoint::Place& place, Rank rank) const {
  throw UsageError(fmt::format(
      "the newest state of rank {}, {}, is missing or damaged, and there is no older one of all ranks: bring that file "
      "back, or start without --restart and with an empty folder",
      rank, (folder_.path() / checkpoint::file_name_of(place, rank)).string()));
}

}  // namespace lbsp
