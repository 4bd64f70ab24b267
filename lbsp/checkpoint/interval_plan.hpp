#pragma once

#include <cstdint>
#include <optional>

#include "lbsp/checkpoint/saving_meter.hpp"

namespace lbsp::checkpoint {

/// Steps from one state to the next before anything has been measured.
inline constexpr std::uint64_t first_interval = 10;

/// How many steps a program should do from one state to the next (model/survival/interval.hpp), if it does `now` at
/// present: 2 at least, so that a step without a state can be measured, and from half of `now` to twice that, so that
/// one wrong measure changes little. `between_failures`: seconds, the mean from one loss of a host of the job to the
/// next.
std::uint64_t next_interval(std::uint64_t now, const SavingMeasure& measure, double between_failures);

/// What a program that does so many steps from one state to the next is forecast to lose by states and losses, as a
/// part of the time that its steps take; none before anything has been measured.
std::optional<double> forecast_part(std::uint64_t interval, const SavingMeasure& measure,
                                    double between_failures);

}  // namespace lbsp::checkpoint
