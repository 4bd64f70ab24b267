#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lbsp/survival/carried.hpp"
#include "lbsp/world.hpp"

namespace lbsp::job::member {

/// A program that was to keep states and has not begun to by then is taken to keep none: when a Steps with a Keep of
/// its own would have kept the first, or after so long, if its supersteps are long ones.
inline constexpr std::uint64_t supersteps_without_states = 10;
inline constexpr Seconds time_without_states = std::chrono::minutes{1};

/// What the user of a job with --checkpoint or --restart is told then, so that the error at its end does not come after
/// hours; none: it keeps states, has none to keep, or it is too early to tell.
std::optional<std::string> missing_states(const Carried& carried, std::uint64_t supersteps, Seconds ran);

}  // namespace lbsp::job::member
