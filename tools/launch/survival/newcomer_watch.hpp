#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "tools/uv/events.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::survival {

/// How far the new processes have come that are to take the places of lost ranks. The job stands still for them: that
/// is to be said soon, and is in vain where none begins, as on a host that is cut off.
class NewcomerWatch {
 public:
  struct Calls {
    std::function<void(Rank)> is_late;  ///< the job has waited for a while
    std::function<void(Rank)> in_vain;  ///< nothing suggests that the process will come
  };

  NewcomerWatch(uv::Loop& loop, transport::Duration peer_timeout, Calls calls);

  /// A process for that rank is being started. `may_be_cut_off`: on the host of a rank that is only silent, where it
  /// may never begin, or say hello.
  void begin(Rank rank, bool may_be_cut_off);
  /// It has said hello. From now on it asks the others for the place, who know best whether they hear it.
  void greeted(Rank rank);
  /// It has the place, or is not needed.
  void end(Rank rank) { waits_.erase(rank); }

  /// In this world nobody waits for that rank's process any more.
  void give_up(Rank rank) { in_vain_.insert(rank); }
  bool is_in_vain(Rank rank) const { return in_vain_.contains(rank); }
  void begin_world() { in_vain_.clear(); }

 private:
  struct Wait {
    explicit Wait(uv::Loop& loop) : until_late(loop), until_in_vain(loop) {}
    uv::Timer until_late;
    uv::Timer until_in_vain;
  };

  uv::Loop& loop_;
  std::chrono::milliseconds patience_;
  Calls calls_;
  std::map<Rank, std::unique_ptr<Wait>> waits_;
  std::set<Rank> in_vain_;  ///< in the newest world that is known here
};

}  // namespace lbsp::launch::survival
