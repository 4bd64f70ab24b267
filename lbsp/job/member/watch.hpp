#pragma once

#include <optional>
#include <thread>
#include <vector>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/member/member.hpp"
#include "lbsp/job/messages.hpp"

namespace lbsp::job::member {

/// A thread that watches the control connection while the program runs. When the launcher goes, it ends the
/// process at once: nobody would learn what the program still does.
class Watch {
 public:
  /// Has the members report what they have done when the launcher asks for it, and take what it says of others. With
  /// `progress` it tells how far each member is, at most twice a second: rank 0 whenever that has changed, and every
  /// rank when it stays where it is for half a second. Tells the user of missing_states(), if
  /// rank 0 is one of the members. They must live as long.
  Watch(Channel& channel, std::vector<Member*> members, bool progress);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

 private:
  struct Seen {
    Progress last{};  ///< half a second ago
    std::optional<Progress> told{};
  };

  void run(bool progress);
  static void pass_on(const Frame& frame, Member& member);
  void tell_progress();
  void tell_of_missing_states();

  Channel& channel_;
  std::vector<Member*> members_;
  std::vector<Seen> seen_;  ///< by member
  bool may_lack_states_;    ///< and has not told so
  std::thread thread_;
};

}  // namespace lbsp::job::member
