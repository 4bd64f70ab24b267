#pragma once

#include <string>
#include <vector>

namespace lbsp::test {

/// In the environment of a command, with a text of the test's own: all processes that come of it have it too.
inline constexpr const char* mark_variable = "LBSP_TEST_MARK";

/// The process ids of those that live and have this mark.
std::vector<int> processes_marked(const std::string& mark);

}  // namespace lbsp::test
