#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {

/// As lbsp run writes it: one superstep of two ranks, the second of which has the processor for `cpu` seconds of 4.
std::string slow_trace(double cpu);

/// So many of those supersteps, of which `change(rank, superstep, line)` may change what each rank tells.
std::string slow_trace_of(int supersteps, const std::function<void(int, int, nlohmann::json&)>& change);
/// slow_trace() of a job that was not finished, as this rank was lost: it has told nothing.
std::string slow_trace_without(int lost);

/// lbsp trace convert.
Outcome convert(const std::vector<std::string>& words);

/// The page that lbsp report makes of this file; where it makes none, what it says instead.
std::string page_of(const std::string& trace_file);

}  // namespace lbsp::test
