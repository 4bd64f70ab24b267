#include "lbsp/superstep/recording/quick_clock.hpp"

#include <cmath>
#include <fstream>
#include <string>

namespace lbsp::superstep {
namespace {

using std::chrono::nanoseconds;

/// As a clock may be set right by 500 millionths meanwhile, it is read again after so long.
constexpr nanoseconds longest_between_readings = std::chrono::microseconds{200};
/// The counter's rate is not known better from less; an error of the first reading weighs this part of it.
constexpr nanoseconds shortest_to_learn = std::chrono::microseconds{20};
constexpr int weight_of_first = 16;
/// A reading that took more counts has been interrupted.
constexpr std::uint64_t most_counts_of_a_reading = 1000;
/// A counter that changes its rate more has been set, as when a virtual machine moves.
constexpr double most_change = 0.001;

/// The system trusts the counter to run evenly, and alike on all processors.
bool is_the_systems_clock() {
#if defined(__x86_64__) && defined(__linux__)
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return file >> name && name == "tsc";
#else
  return false;
#endif
}

}  // namespace

QuickClock::QuickClock() {
  static const bool usable = is_the_systems_clock();
  usable_ = usable;
}

QuickClock::Steady::time_point QuickClock::read() {
  const std::uint64_t before = counter();
  const Steady::time_point time = Steady::now();
  const std::uint64_t took = counter() - before;
  valid_for_ = 0;
  if (usable_ && took <= most_counts_of_a_reading) learn(before + took / 2, time);
  latest_ = std::max(latest_, time);
  return latest_;
}

void QuickClock::learn(std::uint64_t at, Steady::time_point time) {
  read_at_ = at;
  read_ = time;
  const auto elapsed = std::chrono::duration_cast<nanoseconds>(time - first_);
  const auto counts = static_cast<double>(at - first_at_);
  const double each = static_cast<double>(elapsed.count()) / counts * 0x1p32;
  const auto known = static_cast<double>(nanoseconds_each_);
  if (first_ == Steady::time_point{} || at <= first_at_ ||
      (known > 0 && std::abs(each - known) > most_change * known)) {
    first_at_ = at;
    first_ = time;
    nanoseconds_each_ = 0;
    return;
  }
  if (elapsed < shortest_to_learn) return;
  nanoseconds_each_ = static_cast<std::uint64_t>(each);
  const nanoseconds until = std::min(elapsed / weight_of_first, longest_between_readings);
  valid_for_ = static_cast<std::uint64_t>(static_cast<double>(until.count()) * 0x1p32 / each);
}

}  // namespace lbsp::superstep
