#pragma once

#include "tools/launch/network/known_network.hpp"
#include "tools/launch/request/options.hpp"

namespace lbsp::launch::network {

/// A rank finds out what each path carries, up to the ceiling. The rounds of the paper's schemes have datagrams of one
/// length, because a message cannot be cut anew.
void find_datagrams(request::RunOptions& options);

/// What is larger than the profile's paths take would be dropped on the way. `known`: null if there is no profile.
void limit_datagrams(request::RunOptions& options, const KnownNetwork* known);

}  // namespace lbsp::launch::network
