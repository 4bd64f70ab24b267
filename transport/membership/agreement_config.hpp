#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "transport/membership/notices.hpp"
#include "transport/membership/quorum.hpp"
#include "transport/membership/view.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

struct AgreementConfig {
  Slot self = 0;
  Epoch epoch = 0;
  MemberSet members = {};                              ///< of the epoch, this process included
  Duration peer_timeout = std::chrono::seconds{1};     ///< who is silent for so long is missed
  Duration round_trip = std::chrono::milliseconds{1};  ///< usual between two members
  /// Of the members, those that began with this epoch: a way to one of them has never been known to work.
  MemberSet new_here = {};
  Notices notices = {};  ///< what earlier epochs have left of them
  MemberSet room = {};   ///< slots of no member, which new processes may take: then the world grows
  /// New processes for lost slots and for `room`, Decision::most_seats at most; none: nobody takes them.
  std::function<std::vector<Seat>(const MemberSet& open)> seats = {};
  /// For so long the one that proposes waits until there are new processes for all lost slots.
  Duration newcomer_wait{0};
  bool (*quorum)(const MemberSet& present, const MemberSet& members) = has_quorum;
};

}  // namespace lbsp::transport
