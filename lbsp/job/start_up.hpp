#pragma once

#include <memory>
#include <vector>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/messages.hpp"
#include "transport/exchange.hpp"

namespace lbsp::job {

/// What a process that has joined its job holds.
struct Membership {
  Welcome welcome;
  std::vector<std::unique_ptr<transport::Exchange>> exchanges;  ///< one per rank of this process
};

/// Joins: takes the welcome, opens the port, says hello and waits for the start. Throws Error if the launcher
/// is gone, silent for its own start timeout and a little, or of another version, SystemError if the port
/// cannot be had.
Membership join(Channel& channel);

}  // namespace lbsp::job
