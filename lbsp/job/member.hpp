#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/observed_exchange.hpp"
#include "lbsp/world.hpp"

namespace lbsp::job {

/// One rank of this process, and what it tells the launcher.
class Member {
 public:
  /// `place`: in the process, from 0.
  Member(Channel& channel, std::uint16_t place, std::unique_ptr<transport::Exchange> exchange);

  ObservedExchange& exchange() { return observed_; }

  /// Tells the launcher that this rank's program has failed, and unless another rank's failure is the cause,
  /// tells the other ranks too. Returns what was told.
  std::string fail(const std::exception_ptr& thrown);

  /// Tells the launcher what the program cost.
  void report(const World& world);

  /// Lets go of the network. The World must not be used after it.
  void leave() { inner_.reset(); }

 private:
  void send(FrameKind kind, std::string payload);

  Channel& channel_;
  std::uint16_t place_;
  std::unique_ptr<transport::Exchange> inner_;
  ObservedExchange observed_;
};

}  // namespace lbsp::job
