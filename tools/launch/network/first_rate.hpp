#pragma once

#include <optional>

#include "tools/launch/network/known_network.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/request/options.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::network {

/// With what a process begins to send, and whether it then finds what the network carries.
struct FirstRate {
  transport::BytesPerSecond rate;
  bool find = false;
};

/// Of a process on a host whose paths carry `known` at most, as a profile says, or of whose paths nothing is known. A
/// pretended network may have less, and leaves nothing to be found.
FirstRate first_rate(const request::RunOptions& options, std::optional<transport::BytesPerSecond> known);

/// Fills in the rates with which the job's ranks begin: what the profile says of each host, unless the user knows
/// better. Without either, a rank finds its rate itself if its datagrams leave this machine. `known`: null if there is
/// no profile.
void limit_rate(request::RunOptions& options, const places::Placement& placement, const KnownNetwork* known);

/// Throws UsageError if a rank that was told its rate would write the first datagram for about as long as the others
/// wait for one: they would take it for lost. `options` as limit_rate() leaves them.
void require_enough_rate(const request::RunOptions& options, const places::Placement& placement,
                         const KnownNetwork* known);

}  // namespace lbsp::launch::network
