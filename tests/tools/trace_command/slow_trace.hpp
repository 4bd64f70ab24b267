#pragma once

#include <string>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {

/// As lbsp run writes it: one superstep of two ranks, the second of which has the processor for `cpu` seconds of 4.
std::string slow_trace(double cpu);

/// lbsp trace convert.
Outcome convert(const std::vector<std::string>& words);

/// The page that lbsp report makes of this file; where it makes none, what it says instead.
std::string page_of(const std::string& trace_file);

}  // namespace lbsp::test
