#pragma once

#include <map>
#include <vector>

#include "transport/loss_notice.hpp"
#include "transport/membership/view.hpp"

namespace lbsp::transport {

/// Notices of a process's epochs, until it comes to the epoch that they speak of. A slot has one process from when a
/// seat is given to it until the next one is, so that what was said of an earlier epoch holds in a later one, too, if
/// none was given between.
class HeldNotices {
 public:
  /// This process has begun with that epoch: of those before it knows nothing.
  explicit HeldNotices(Epoch first = 0) : first_(first) {}

  /// The slot has a new process from this epoch on.
  void seated(Slot slot, Epoch epoch) { seated_[slot] = epoch; }
  void hold(const LossNotice& notice) {
    if (held_.size() < most) held_.push_back(notice);
  }
  /// Those of processes that have their slots in this epoch, each once.
  std::vector<LossNotice> take(Epoch epoch);

 private:
  /// A launcher says something of each slot for each new process that it has.
  static constexpr std::size_t most = 4096;

  Epoch first_;
  std::map<Slot, Epoch> seated_;
  std::vector<LossNotice> held_;
};

}  // namespace lbsp::transport
