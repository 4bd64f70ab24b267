#include "lbsp/superstep/agreement/collective_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lbsp::superstep {
namespace {

using ::testing::EndsWith;

std::string described(const CollectiveCall& call) {
  return describe_collective(log_entry(call));
}

TEST(CollectiveCall, says_how_many_elements_of_which_size_it_has) {
  EXPECT_THAT(described({.element_bytes = 1, .bytes = 12}), EndsWith(", 12 bytes)"));
  EXPECT_THAT(described({.element_bytes = 2, .bytes = 12}), EndsWith(", 6 elements of 2 bytes)"));
  EXPECT_THAT(described({.element_bytes = 8, .bytes = 8}), EndsWith(", 1 element of 8 bytes)"));
  EXPECT_THAT(described({.element_bytes = 4}), EndsWith(", elements of 4 bytes)"));
}

TEST(CollectiveCall, says_its_root_if_it_has_one) {
  EXPECT_THAT(described({.root = 0, .bytes = 3}), EndsWith("root 0, 3 bytes)"));
  EXPECT_THAT(described({.root = 70'000, .bytes = 3}), EndsWith(", root 70000, 3 bytes)"));
}

}  // namespace
}  // namespace lbsp::superstep
