#pragma once

#include <optional>

#include "lbsp/job/messages.hpp"
#include "tools/launch/places/placement.hpp"

namespace lbsp::launch::places {

/// The memory through which the ranks of a host are to exchange; none if they are to use datagrams: a single rank, a
/// backend that needs none, a user who wants the network or an address space that is too small for the messages.
std::optional<job::SharedMemory> shared_memory_on(const PlacedHost& host, const request::RunOptions& options,
                                                  const Placement& placement);

}  // namespace lbsp::launch::places
