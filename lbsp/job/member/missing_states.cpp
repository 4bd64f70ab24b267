#include "lbsp/job/member/missing_states.hpp"

#include <fmt/format.h>

#include "transport/counted.hpp"

namespace lbsp::job::member {

std::optional<std::string> missing_states(const Carried& carried, std::uint64_t supersteps, Seconds ran) {
  if (!carried.lacks_states()) return std::nullopt;
  if (supersteps < supersteps_without_states && ran < time_without_states) return std::nullopt;
  const Survival& survival = carried.survival();
  return fmt::format(
      "{}: after {} and {:.1f} s the program keeps no states, and a job that never does fails at its end: end it, and "
      "give Steps a Keep, or leave the option out",
      survival.checkpoint.empty() ? "--restart" : "--checkpoint", counted(supersteps, "superstep"),
      ran.count());
}

}  // namespace lbsp::job::member
