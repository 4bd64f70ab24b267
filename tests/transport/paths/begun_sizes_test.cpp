#include <gtest/gtest.h>
#include <vector>

#include "tests/transport/start.hpp"
#include "transport/paths/path_sizes.hpp"

/// Paths that begin with the length that another path of the rank has turned out to carry.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

using AskedLengths = std::vector<std::size_t>;

constexpr Duration begun_patience = 100ms;

TEST(BegunSizes, ask_for_the_former_length_before_longer_ones) {
  PathSizes sizes(1200, 1472);
  sizes.begin_with(548, start);
  EXPECT_EQ(sizes.in_use(), 548u);
  EXPECT_TRUE(sizes.base_open());
  EXPECT_FALSE(sizes.base_doubtful());
  EXPECT_EQ(sizes.search(start, begun_patience, 9000), (AskedLengths{548, 548, 256, 1200}));
  PathSizes narrow = sizes;
  EXPECT_TRUE(sizes.answered(1200));
  EXPECT_FALSE(sizes.base_open());
  EXPECT_EQ(sizes.search(start + begun_patience, begun_patience, 9000),
            (AskedLengths{1232, 1252, 1372, 1392, 1432, 1444, 1452, 1464, 1472}));

  EXPECT_FALSE(narrow.answered(548));
  EXPECT_EQ(narrow.search(start + begun_patience, begun_patience, 9000),
            (AskedLengths{1200, 711, 874, 1037, 711, 874, 1037}));
  EXPECT_EQ(narrow.search(start + 2 * begun_patience, begun_patience, 9000),
            (AskedLengths{1200, 588, 629, 670, 588, 629, 670}));
  EXPECT_EQ(narrow.search(start + 3 * begun_patience, begun_patience, 9000), AskedLengths{});
  EXPECT_EQ(narrow.search(start + 3 * begun_patience + 5s, begun_patience, 9000),
            (AskedLengths{1200, 1392, 1472}))
      << "after a rest";
}

TEST(BegunSizes, are_those_of_paths_of_which_neither_a_datagram_nor_a_trial_has_shown_anything) {
  PathSizes sizes(1200, 1472);
  EXPECT_TRUE(sizes.base_open());
  sizes.begin_trial(1200);
  EXPECT_TRUE(sizes.base_open());
  for (int i = 0; i < 8; ++i)
    sizes.answered(548);
  EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::narrow);
  EXPECT_FALSE(sizes.base_open());
  sizes.begin_with(1000, start);
  EXPECT_EQ(sizes.in_use(), 548u) << "that is no less";
}

}  // namespace
}  // namespace lbsp::transport
