#include "tools/report/supersteps.hpp"

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "tests/support/sanitized.hpp"
#include "tools/trace_file/clocks.hpp"
#include "tools/trace_file/trace.hpp"

namespace lbsp::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Ranks that only communicate, and send these bytes in each superstep, rank 0 to the others.
trace_file::Trace trace_of(const std::vector<double>& bytes, std::size_t ranks) {
  trace_file::Trace trace;
  trace.ends.resize(ranks);
  trace.steps.resize(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::uint64_t k = 0; k < bytes.size(); ++k) {
      trace_file::Step step;
      step.first = k;
      step.communicate = step.waiting = 1;
      if (rank == 0) step.to.push_back({1, bytes[k]});
      trace.steps[rank].push_back(step);
    }
  }
  return trace;
}

std::vector<Superstep> supersteps_in(const trace_file::Trace& trace) {
  return supersteps_of(trace, trace_file::align(trace));
}

TEST(ReportedSupersteps, name_who_sent_most_where_that_is_more_than_in_the_middle_one_of_the_others) {
  const auto found = supersteps_in(trace_of({10, 1000, 20, 30, 40}, 2));
  EXPECT_THAT(found[1].reason, HasSubstr("rank 0 sent most, 1000 B"));
  for (const std::size_t k : {0U, 2U, 3U})
    EXPECT_THAT(found[k].reason, Not(HasSubstr("sent most"))) << k;
  const auto even = supersteps_in(trace_of({10, 10, 16, 16}, 2));
  EXPECT_THAT(even[2].reason, HasSubstr("sent most")) << "10, 10 and 16 are the others";
  const auto single = supersteps_in(trace_of({10}, 2));
  EXPECT_THAT(single[0].reason, HasSubstr("sent most")) << "there is no other";
}

TEST(ReportedSupersteps, may_be_tens_of_thousands) {
  std::vector<double> bytes;
  for (int k = 0; k < 40'000; ++k)
    bytes.push_back(k * 7919 % 40'009);
  const trace_file::Trace trace = trace_of(bytes, 4);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(supersteps_in(trace).size(), bytes.size());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{1} * test::patience_factor);
}

}  // namespace
}  // namespace lbsp::report
