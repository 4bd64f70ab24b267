#pragma once

#include <string>

#include "tools/profile/profile.hpp"

namespace lbsp::probe {

/// The profile as a table for a person.
std::string profile_as_text(const profile::Profile& profile);

/// Loss, bandwidth and round-trip time against packet size, as in figures 1 to 3 of the L-BSP paper: the mean
/// over all pairs, and each pair. Throws what command_line::draw_svg() does.
std::string profile_as_svg(const profile::Profile& profile);

/// Now, UTC, ISO 8601.
std::string time_now();

}  // namespace lbsp::probe
