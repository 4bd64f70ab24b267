#pragma once

#include <functional>
#include <string>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/observed_exchange.hpp"
#include "lbsp/world.hpp"

namespace lbsp::job {

/// Takes a frame of one rank to the launcher, whatever the way.
using Tell = std::function<void(FrameKind, std::string payload)>;

/// Runs the program as one rank of a job, and tells the launcher of its failure, of its supersteps and, as
/// the last, of its end. If it fails by itself, all other ranks are told to end. Returns whether it came to
/// its end. Throws what `tell` throws.
bool run_member(ObservedExchange& exchange, const std::function<void(World&)>& program, const Tell& tell);

}  // namespace lbsp::job
