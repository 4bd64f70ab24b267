#pragma once

#include <vector>

#include "tools/profile/network_view.hpp"
#include "tools/tune/algorithm.hpp"

namespace lbsp::tune {

/// The places of the hosts that can be taken together, best first. The n best are those left when, again and
/// again, the one is dropped that costs most: its share of the work, and the mean over its paths to and from the
/// others of the communication as if all paths were like this one. A pair that was not measured counts as the
/// worst of those that were. A host of a pair of which the measurement failed cannot be taken with the other end;
/// such hosts go first, those with most such pairs before all, until every pair that is left may pass.
///
/// `rates`: operations per second of each host.
std::vector<int> order_of_hosts(const profile::NetworkView& network, const Algorithm& algorithm,
                                const std::vector<double>& rates);

}  // namespace lbsp::tune
