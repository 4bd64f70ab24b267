#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lbsp::bench {

/// What a scenario should not exceed or fall short of.
struct Bar {
  std::string_view name;
  bool cleared;
};

struct Outcome {
  std::string figures;
  std::vector<Bar> bars;
};

/// A scenario of RFC 9743. run() throws std::runtime_error if a job fails.
struct Scenario {
  std::string_view group;  ///< alone, jobs, cubic, bbr, short, policer or changes
  std::string name;
  std::function<Outcome()> run;
};

/// In the order of their groups. Jobs are told the link's rate, or have to find it.
std::vector<Scenario> all_scenarios(bool told);

}  // namespace lbsp::bench
