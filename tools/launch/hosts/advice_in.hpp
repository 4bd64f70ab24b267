#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lbsp::launch::hosts {

/// Whether a line of lbsp, as another process or host has passed it on, says already what to do: then more advice, of
/// who knows less of the matter, only hides it. What ssh and shells say has no such parts.
inline bool has_advice_in(std::string_view problem) {
  constexpr std::array<std::string_view, 7> beginnings{": install ", ": let ",   ": give ", ": use ",
                                                       ": see ",     ": check ", ": raise "};
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) {
    return problem.find(beginning) != std::string_view::npos;
  });
}

}  // namespace lbsp::launch::hosts
