#pragma once

#include "tools/profile/profile.hpp"
#include "tools/wan/network/pair_specs.hpp"

namespace lbsp::wan::network {

/// The network that a measured profile describes. Of each ordered pair the largest packet size that was not
/// sent in fragments counts (the smallest at all if every one was):
/// - loss and burst as measured;
/// - rtt: the mean of both directions' medians, less the time that the measured packets took on the links,
///   which the bed's rates add again: the round trip of such a packet is what was measured;
/// - jitter: such that 1 % of the round trips exceed the 99th percentile. A round trip's two jitters, uniform
///   in ±J each, add up to a triangle over ±2J, whose 99th percentile is (2 - sqrt(0.08)) J. But no more than
///   the minimum leaves room for: median - 2J;
/// - rate: the bandwidth. A queue was not measured: it is the default.
/// Throws UsageError if there are too many hosts, or a time longer than a bed can hold.
PairSpecs specs_of(const profile::Profile& profile);

}  // namespace lbsp::wan::network
