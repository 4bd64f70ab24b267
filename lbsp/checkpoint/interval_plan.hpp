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

/// The same without those limits of change, for a state that costs what is expected before one has been measured: as
/// long as it takes to send its bytes. None before a step has been measured.
std::optional<std::uint64_t> best_interval(const SavingMeasure& measure, double between_failures);

/// Seconds that it takes to send so many bytes by a rate in bytes per second; 0: not known.
double expected_cost(double bytes, double rate);

/// What a program that does so many steps from one state to the next is forecast to lose by states and losses, as a
/// part of the time that its steps take; none before anything has been measured.
std::optional<double> forecast_part(std::uint64_t interval, const SavingMeasure& measure,
                                    double between_failures);

}  // namespace lbsp::checkpoint
