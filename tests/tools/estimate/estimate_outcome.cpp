#include "tests/tools/estimate/estimate_outcome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lbsp::test {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

Outcome estimate(const TemporaryFolder& folder, const std::string& file, std::vector<std::string> options) {
  options.insert(options.begin(), {built("lbsp"), "estimate", folder.path() / "run"});
  folder.write("run", file);
  return Command(options).wait();
}

json answer(const std::string& file, std::vector<std::string> options) {
  const TemporaryFolder folder;
  options.insert(options.end(), {"--json", "-"});
  const Outcome outcome = estimate(folder, file, options);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  return json::parse(outcome.output);
}

void expect_refused(const std::string& file, const std::string& said,
                    const std::vector<std::string>& options) {
  const TemporaryFolder folder;
  const Outcome outcome = estimate(folder, file, options);
  EXPECT_EQ(outcome.code, 1) << said;
  EXPECT_EQ(outcome.output, "") << said;
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: ")) << said;
  EXPECT_THAT(outcome.errors, HasSubstr(said));
  EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1) << outcome.errors;
}

}  // namespace lbsp::test
