#pragma once

#include <thread>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/observed_exchange.hpp"

namespace lbsp::job {

/// A thread that watches the control connection while the program runs. When the launcher goes, it ends the
/// process at once: nobody would learn what the program still does.
class Watch {
 public:
  /// If `progress` is given, tells the launcher how far it is, as it changes and at most twice a second.
  Watch(Channel& channel, const ObservedExchange* progress);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

 private:
  void run(const ObservedExchange* progress);

  Channel& channel_;
  std::thread thread_;
};

}  // namespace lbsp::job
