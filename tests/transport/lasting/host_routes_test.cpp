#include "transport/lasting/host_routes.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace lbsp::transport {
namespace {

TEST(HostRoutes, take_what_is_usual_until_a_limit_is_known_and_never_more_than_the_lowest) {
  HostRoutes routes(2, 1400);
  EXPECT_EQ(routes.bytes(0), 1400U);
  EXPECT_EQ(routes.bytes(200), 1400U) << "nobody has heard of that one";
  routes.limit(1, 1300);
  routes.limit(1, 1350);
  EXPECT_EQ(routes.bytes(1), 1300U);
  EXPECT_EQ(routes.bytes(0), 1400U);
}

TEST(HostRoutes, are_known_up_to_the_last_station_that_was_named) {
  HostRoutes routes(2, 1400);
  EXPECT_EQ(routes.stations(), 2U);
  routes.add(130);
  EXPECT_EQ(routes.stations(), 131U);
  EXPECT_EQ(routes.bytes(130), 1400U);
}

TEST(HostRoutes, are_refused_to_those_of_the_epoch_with_the_error_of_the_first) {
  ProcessNames names(nullptr);
  names.enter_only(4);
  HostRoutes routes(4, 1400);
  EXPECT_EQ(routes.refusal(names), HostRefusal{});
  routes.refuse(3, 13);
  routes.refuse(1, 1);
  routes.refuse(9, 1);
  EXPECT_EQ(routes.refusal(names), (HostRefusal{{1, 3}, 1})) << "station 9 is no member's";
  routes.refuse(1, 0);
  EXPECT_EQ(routes.refusal(names), (HostRefusal{{3}, 13}));
}

}  // namespace
}  // namespace lbsp::transport
