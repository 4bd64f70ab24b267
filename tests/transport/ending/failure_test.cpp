#include "transport/ending/failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "transport/paths/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

using ::testing::HasSubstr;

TEST(LikelyCause, is_the_size_of_datagrams_if_only_shorter_ones_passed) {
  for (const std::size_t passed : {std::size_t{100}, common_datagram_bytes}) {
    EXPECT_THAT(likely_cause(1400, passed), HasSubstr("datagrams of 1400 bytes seem to be too large"));
    EXPECT_THAT(likely_cause(1400, passed), HasSubstr("try --datagram 1232"));
  }
}

TEST(LikelyCause, is_never_cured_with_datagrams_that_are_no_shorter) {
  EXPECT_THAT(likely_cause(1232, 300),
              HasSubstr("datagrams of 1232 bytes seem to be too large for the path: try "
                        "--datagram 548"));
}

TEST(LikelyCause, is_elsewhere_if_nothing_passed_or_a_longer_one_did_or_none_was_sent) {
  for (const auto& [sent, passed] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1400, 0},
                                                        {1400, common_datagram_bytes + 1},
                                                        {1232, 1200},
                                                        {base_datagram_bytes, 300},
                                                        {0, 100}}) {
    EXPECT_THAT(likely_cause(sent, passed), HasSubstr("a filter, a full receive buffer"));
  }
}

}  // namespace
}  // namespace lbsp::transport
