#include "lbsp/dataflow/run_record.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::dataflow {
namespace {

template <class Number>
Number sum_over(const std::vector<LevelRecord>& levels, Number LevelRecord::*figure) {
  Number sum = 0;
  for (const LevelRecord& level : levels)
    sum += level.*figure;
  return sum;
}

}  // namespace

Ticks LevelRecord::longest_computation() const {
  std::map<Worker, Ticks> sums;
  Ticks longest = 0;
  for (std::size_t i = 0; i < took.size(); ++i)
    longest = std::max(longest, sums[placements[i].worker] += took[i]);
  return longest;
}

Mapping RunRecord::mapping(std::size_t tokens) const {
  Mapping workers = before.empty() ? Mapping(tokens) : before;
  for (const LevelRecord& level : levels)
    for (const Placement& each : level.placements)
      workers[each.token] = each.worker;
  return workers;
}

std::uint64_t RunRecord::fetched_bytes() const {
  return sum_over(levels, &LevelRecord::fetched_bytes);
}

std::uint64_t RunRecord::copied_bytes() const {
  return sum_over(levels, &LevelRecord::copied_bytes);
}

std::size_t RunRecord::moves() const {
  return sum_over(levels, &LevelRecord::moves);
}

const StreamBytes& RunRecord::result_bytes(std::string_view stream, std::size_t value_bytes) const {
  const auto found = results.find(stream);
  if (found == results.end()) {
    throw UsageError(
        fmt::format("there is no result \"{}\" here: name it by Graph::result(), and read it on the rank "
                    "that RunOptions::results_on says",
                    stream));
  }
  if (found->second.size() % value_bytes != 0) {
    throw UsageError(
        fmt::format("values of {} bytes are read from the result \"{}\" of {}: read what was written",
                    value_bytes, stream, found->second.size()));
  }
  return found->second;
}

}  // namespace lbsp::dataflow
