#pragma once

#include <exception>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "lbsp/world.hpp"
#include "tests/support/backends.hpp"
#include "transport/error.hpp"

namespace lbsp::test {

using Program = std::function<void(World&)>;

/// Runs `program` on `size` ranks, a thread each, as lbsp::run does: finish() if it returns, abort() with its
/// error's text if it throws. Returns what each rank threw; null where all went well.
std::vector<std::exception_ptr> outcomes(const Backend& backend, Rank size, const Program& program);

/// The text of the error if it is an E, or what it is instead.
template <class E>
std::string text_of(const std::exception_ptr& outcome) {
  if (!outcome) return "(no error)";
  try {
    std::rethrow_exception(outcome);
  } catch (const std::exception& error) {
    return std::string(dynamic_cast<const E*>(&error) != nullptr ? "" : "(another error) ") + error.what();
  }
}

/// A suite over all backends: derive or use it with TEST_P, and LBSP_OVER_ALL_BACKENDS(suite).
class OverBackends : public testing::TestWithParam<Backend> {
 protected:
  /// Every rank must come to its orderly end.
  void run_ranks(Rank size, const Program& program) const {
    for (const auto& outcome : outcomes(GetParam(), size, program)) {
      EXPECT_EQ(text_of<std::exception>(outcome), "(no error)");
    }
  }

  std::vector<std::exception_ptr> run_failing_ranks(Rank size, const Program& program) const {
    return outcomes(GetParam(), size, program);
  }
};

inline std::string backend_name(const testing::TestParamInfo<Backend>& info) {
  return info.param.name;
}

}  // namespace lbsp::test

#define LBSP_OVER_ALL_BACKENDS(suite)                                                  \
  INSTANTIATE_TEST_SUITE_P(Over, suite, testing::ValuesIn(lbsp::test::all_backends()), \
                           lbsp::test::backend_name)
