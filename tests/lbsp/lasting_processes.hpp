#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/lbsp/lasting_plan.hpp"
#include "tests/lbsp/one_at_a_time.hpp"
#include "transport/lasting/lasting_endpoint.hpp"
#include "transport/membership/newcomer.hpp"

namespace lbsp::lasting {

using transport::LastingEndpoint;

/// A process of a lasting job: by its number, as in LastingPlan.
using ProcessIndex = int;
inline constexpr ProcessIndex nobody = -1;

struct LastingDatagram {
  Instant at;
  ProcessIndex from;
  ProcessIndex to;
  std::vector<std::byte> bytes;
};

struct LastingProcess {
  Slot slot = 0;
  std::unique_ptr<LastingEndpoint> endpoint;      ///< none: it has not got its slot yet
  std::unique_ptr<transport::Newcomer> newcomer;  ///< until it has
  std::vector<ProcessIndex> at;                   ///< by station
  std::vector<ProcessIndex> knocks_at;            ///< by slot: as `at`, until it has got its own
  std::map<Slot, ProcessIndex> former;            ///< and where every second knock goes: who may have it yet
  transport::Epoch came_in = 0;
  Instant asleep_until{};
  std::function<bool(const LastingEndpoint&)> awaited;
  std::deque<LastingDatagram> inbox;
  std::uint64_t sent = 0;
  int changes = 0;
  bool dead = false;
  bool finished = false;
  std::string error;
  OneAtATime::Thread thread;

  bool ended() const { return thread.ended; }
  /// Whether it can tell the launcher whom it misses.
  bool tells(Instant now) const { return endpoint && !dead && !ended() && now >= asleep_until; }
};

/// All of a job.
class LastingProcesses {
 public:
  explicit LastingProcesses(Slot size) : size_(size), newest_(static_cast<std::size_t>(size)) {}

  ProcessIndex count() const { return static_cast<ProcessIndex>(all_.size()); }
  /// So many have a slot, or are to have one.
  Slot slots() const { return static_cast<Slot>(newest_.size()); }
  LastingProcess& of(ProcessIndex index) { return *all_[static_cast<std::size_t>(index)]; }
  const LastingProcess& of(ProcessIndex index) const { return *all_[static_cast<std::size_t>(index)]; }
  const std::vector<std::unique_ptr<LastingProcess>>& all() const { return all_; }

  /// One for the slot, which knows where the newest of the others are, and those whose places they are to have.
  LastingProcess& add(Slot slot) {
    newest_[static_cast<std::size_t>(slot)] = count();
    all_.push_back(std::make_unique<LastingProcess>());
    LastingProcess& process = *all_.back();
    process.slot = slot;
    for (Slot other = 0; other < slots(); ++other) {
      process.at.push_back(count() <= size_ ? other : newest_[static_cast<std::size_t>(other)]);
      const ProcessIndex holder = holder_of(other);
      if (holder != nobody && holder != process.at.back()) process.former.emplace(other, holder);
    }
    return process;
  }
  /// One for a slot after the others'.
  LastingProcess& add_with_slot() {
    newest_.push_back(nobody);
    return add(slots() - 1);
  }

  /// That which was started for the slot last.
  const LastingProcess& newest_of(Slot slot) const { return of(newest_[static_cast<std::size_t>(slot)]); }
  /// The one that has got the slot last; nobody, if none has.
  ProcessIndex holder_of(Slot slot) const {
    ProcessIndex holder = nobody;
    for (ProcessIndex index = 0; index < count(); ++index)
      if (of(index).slot == slot && of(index).endpoint) holder = index;
    return holder;
  }
  /// The same; or the first that is to get it.
  const LastingProcess& last_of(Slot slot) const {
    const ProcessIndex holder = holder_of(slot);
    if (holder != nobody) return of(holder);
    return **std::ranges::find(all_, slot, [](const auto& process) { return process->slot; });
  }
  /// How many new ones have got a slot.
  int seated() const {
    return static_cast<int>(std::ranges::count_if(
        all_.begin() + size_, all_.end(), [](const auto& process) { return process->endpoint != nullptr; }));
  }
  /// All that live have come to their end.
  bool over() const {
    return std::ranges::all_of(
        all_, [](const auto& process) { return !process->endpoint || process->dead || process->ended(); });
  }

 private:
  Slot size_;  ///< at first
  std::vector<std::unique_ptr<LastingProcess>> all_;
  std::vector<ProcessIndex> newest_;  ///< by slot
};

}  // namespace lbsp::lasting
