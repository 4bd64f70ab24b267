#pragma once

#include <thread>
#include <vector>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/member.hpp"

namespace lbsp::job {

/// A thread that watches the control connection while the program runs. When the launcher goes, it ends the
/// process at once: nobody would learn what the program still does.
class Watch {
 public:
  /// Has the members report what they have done when the launcher asks for it. With `progress` it tells how
  /// far the first is, as it changes and at most twice a second. The members must live as long.
  Watch(Channel& channel, std::vector<Member*> members, bool progress);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

 private:
  void run(bool progress);

  Channel& channel_;
  std::vector<Member*> members_;
  std::thread thread_;
};

}  // namespace lbsp::job
