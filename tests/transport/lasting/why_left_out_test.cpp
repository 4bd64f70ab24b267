#include "transport/lasting/why_left_out.hpp"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace lbsp::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<std::string> left_out_places{"at 10.0.0.1:1", "at 10.0.0.2:1", "at 10.0.0.3:1"};

TEST(WhyLeftOut, is_the_members_reason_where_the_own_host_refuses_nothing) {
  const Exclusion exclusion{Exclusion::Cause::no_quorum, 1, 3};
  EXPECT_EQ(why_left_out(exclusion, {}, left_out_places), message(exclusion));
}

TEST(WhyLeftOut, names_who_is_not_sent_to_and_where_to_look) {
  const std::string why =
      why_left_out({Exclusion::Cause::given_up, 3, 3}, {.to = {2}, .error = EPERM}, left_out_places);
  EXPECT_THAT(why,
              StartsWith("the other ranks go on without this one, and its own host refuses to send to "));
  EXPECT_THAT(why, HasSubstr("rank 2"));
  EXPECT_THAT(why, HasSubstr("10.0.0.3"));
  EXPECT_THAT(why, HasSubstr("(Operation not permitted): look at the firewall there"));
}

TEST(WhyLeftOut, names_the_first_of_several_and_counts_who_answers) {
  const std::string why =
      why_left_out({Exclusion::Cause::no_quorum, 1, 3}, {.to = {0, 1}, .error = EACCES}, left_out_places);
  EXPECT_THAT(why, StartsWith("1 of 3 ranks answer, "));
  EXPECT_THAT(why, HasSubstr("10.0.0.1"));
  EXPECT_THAT(why, HasSubstr(" and 1 more "));
}

}  // namespace
}  // namespace lbsp::transport
