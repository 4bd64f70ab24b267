#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lbsp::bench {

/// What a scenario should not exceed or fall short of.
struct Bar {
  std::string_view name;
  double of_limit;  ///< 1 at most: what was measured over its limit, or the other way round if more is better
};

struct Outcome {
  std::string figures;
  std::vector<Bar> bars;
};

/// A scenario of RFC 9743. The seed decides what is lost by chance, and when within a round trip each begins. run()
/// throws std::runtime_error if a job fails.
struct Scenario {
  std::string_view group;  ///< alone, jobs, slow, cubic, slow_cubic, bbr, short, policer or changes
  std::string name;
  std::function<Outcome(std::uint64_t seed)> run;
};

/// In the order of their groups. Jobs are told the link's rate, or have to find it.
std::vector<Scenario> all_scenarios(bool told);

}  // namespace lbsp::bench
