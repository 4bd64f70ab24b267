// The functions of docs/programming.md, as they stand there: the build takes them out of the page.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <span>
#include <vector>

#include "lbsp/coarray.hpp"
#include "lbsp/collectives/reduce.hpp"
#include "lbsp/partition.hpp"
#include "lbsp/queue.hpp"
#include "tests/support/run_ranks.hpp"

namespace {

#include "collect.inc"
#include "inner_product.inc"
#include "smooth.inc"
#include "sort_by_range.inc"
#include "transpose.inc"

}  // namespace

namespace lbsp {
namespace {

class ProgrammingOver : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(ProgrammingOver);

TEST_P(ProgrammingOver, a_vector_is_collected_in_the_order_of_its_parts) {
  run_ranks(3, [](World& world) {
    const Range own = part_of(10, world.size(), world.rank());
    std::vector<double> part(own.count);
    std::iota(part.begin(), part.end(), static_cast<double>(own.begin));
    const std::vector<double> whole = collect(world, part, 10);
    const std::vector<double> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_EQ(whole, world.rank() == 0 ? all : std::vector<double>{});
  });
}

TEST_P(ProgrammingOver, inner_product_is_the_same_on_every_rank) {
  run_ranks(4, [](World& world) {
    const std::vector<double> a(10, world.rank() + 1);
    const std::vector<double> b(10, 2);
    EXPECT_EQ(inner_product(world, a, b), 2 * 10 * (1 + 2 + 3 + 4));
  });
}

TEST_P(ProgrammingOver, smoothing_crosses_the_borders_of_ranks) {
  run_ranks(3, [](World& world) {
    Coarray<double> x(world, 2 + static_cast<std::size_t>(world.rank()));
    std::ranges::fill(x.local(), 0);
    if (world.rank() == 1) x[0] = 9;
    world.sync();
    smooth(world, x);
    if (world.rank() == 0) {
      EXPECT_EQ(x[0], 0);
      EXPECT_EQ(x[1], 3);
    }
    if (world.rank() == 1) {
      EXPECT_EQ(x[0], 3);
      EXPECT_EQ(x[1], 3);
      EXPECT_EQ(x[2], 0);
    }
    world.sync();
  });
}

TEST_P(ProgrammingOver, a_matrix_is_transposed_between_all_ranks) {
  run_ranks(3, [](World& world) {
    constexpr std::size_t count = 4;
    const std::size_t side = 3 * count;
    const std::size_t first = count * static_cast<std::size_t>(world.rank());
    std::vector<double> own(count * side);
    for (std::size_t i = 0; i < own.size(); ++i)
      own[i] = static_cast<double>(100 * (first + i / side) + i % side);
    const std::vector<double> transposed = transpose(world, own, count);
    ASSERT_EQ(transposed.size(), own.size());
    for (std::size_t i = 0; i < own.size(); ++i)
      EXPECT_EQ(transposed[i], static_cast<double>(100 * (i % side) + first + i / side));
  });
}

TEST_P(ProgrammingOver, sorting_by_range_keeps_every_key) {
  run_ranks(4, [](World& world) {
    std::vector<std::uint32_t> keys(1000);
    std::uint32_t key = static_cast<std::uint32_t>(world.rank()) + 1;
    for (auto& each : keys)
      each = key = key * 1664525 + 1013904223;
    const auto mine = sort_by_range(world, keys);
    const auto low = static_cast<std::uint64_t>(world.rank()) << 30;
    for (const auto each : mine)
      EXPECT_TRUE(each >= low && each < low + (1ULL << 30));
    EXPECT_TRUE(std::ranges::is_sorted(mine));
    Coarray<std::size_t> counts(world, 4);
    for (Rank to = 0; to < world.size(); ++to)
      counts(to)[static_cast<std::size_t>(world.rank())] = mine.size();
    world.sync();
    EXPECT_EQ(std::accumulate(counts.local().begin(), counts.local().end(), std::size_t{0}), 4000U);
  });
}

}  // namespace
}  // namespace lbsp
