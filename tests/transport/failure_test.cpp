#include "transport/core/failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/core/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

using ::testing::HasSubstr;

TEST(LikelyCause, is_the_size_of_datagrams_if_none_passed_that_is_longer_than_every_path_carries) {
  for (const std::size_t passed : {std::size_t{0}, common_datagram_bytes}) {
    EXPECT_THAT(likely_cause(1400, passed), HasSubstr("datagrams of 1400 bytes seem to be too large"));
    EXPECT_THAT(likely_cause(1400, passed), HasSubstr("try --datagram 1232"));
  }
}

TEST(LikelyCause, is_elsewhere_if_a_longer_one_passed_or_none_was_expected) {
  for (const auto& [expected, passed] :
       {std::pair{std::size_t{1400}, common_datagram_bytes + 1}, {common_datagram_bytes, std::size_t{0}}}) {
    EXPECT_THAT(likely_cause(expected, passed), HasSubstr("a filter, a full receive buffer"));
  }
}

}  // namespace
}  // namespace lbsp::transport
