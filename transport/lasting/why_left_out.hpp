#pragma once

#include <string>
#include <vector>

#include "transport/host_refusal.hpp"
#include "transport/membership/exclusion.hpp"

namespace lbsp::transport {

/// Why a process is left out, in one line. Where its own host refuses to send to others, that is what to look at.
/// `places`: where the ranks of the first epoch are.
std::string why_left_out(const Exclusion& exclusion, const HostRefusal& refusal,
                         const std::vector<std::string>& places);

}  // namespace lbsp::transport
