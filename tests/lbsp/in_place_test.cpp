#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "lbsp/coarray.hpp"
#include "lbsp/queue.hpp"
#include "tests/support/run_ranks.hpp"
#include "transport/error.hpp"

/// What programs write into messages themselves: put_in_place() and send_in_place().
namespace lbsp {
namespace {

class InPlaceOver : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(InPlaceOver);

/// From none to more than one datagram, or a page, or a cell has.
constexpr std::array<std::size_t, 6> in_place_counts{0, 1, 7, 500, 5000, 60'000};

TEST_P(InPlaceOver, sends_what_is_written_where_the_message_lies) {
  run_ranks(3, [](World& world) {
    Queue<double, std::uint16_t> queue(world);
    for (const std::size_t count : in_place_counts) {
      for (Rank to = 0; to < world.size(); ++to) {
        const auto tag = static_cast<std::uint16_t>(10 * world.rank() + to);
        const auto values = queue.send_in_place(to, tag, count);
        ASSERT_EQ(values.size(), count);
        std::iota(values.begin(), values.end(), 100.0 * world.rank());
      }
      world.sync();
      ASSERT_EQ(queue.size(), 3U);
      for (const auto message : queue) {
        EXPECT_EQ(message.tag(), 10 * message.source() + world.rank());
        std::vector<double> expected(count);
        std::iota(expected.begin(), expected.end(), 100.0 * message.source());
        ASSERT_TRUE(std::ranges::equal(message.values(), expected)) << "of " << count;
      }
    }
  });
}

TEST_P(InPlaceOver, puts_what_is_written_where_the_message_lies) {
  run_ranks(3, [](World& world) {
    const std::size_t most = in_place_counts.back();
    Coarray<std::int64_t> x(world, 3 * most);
    world.sync();
    for (const std::size_t count : in_place_counts) {
      for (Rank to = 0; to < world.size(); ++to) {
        const auto values = x.put_in_place(to, static_cast<std::size_t>(world.rank()) * most, count);
        ASSERT_EQ(values.size(), count);
        std::iota(values.begin(), values.end(), 1000 * world.rank() + to);
      }
      world.sync();
      for (Rank from = 0; from < world.size(); ++from) {
        std::vector<std::int64_t> expected(count);
        std::iota(expected.begin(), expected.end(), 1000 * from + world.rank());
        const auto arrived = x.local().subspan(static_cast<std::size_t>(from) * most, count);
        ASSERT_TRUE(std::ranges::equal(arrived, expected)) << count << " from " << from;
      }
    }
  });
}

TEST_P(InPlaceOver, keeps_the_order_of_all_transfers) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 4);
    Queue<int> queue(world);
    world.sync();
    const Rank other = 1 - world.rank();
    x.put(other, 0, std::vector{1, 1, 1, 1});
    std::ranges::fill(x.put_in_place(other, 0, 3), 2);
    x.put(other, 3, 3);  // behind what was put last, and not a part of it
    x.put(other, 0, 4);
    queue.send(other, 5, 50);
    queue.send_in_place(other, 6, 1)[0] = 60;
    queue.send(other, 7, 70);
    world.sync();
    EXPECT_TRUE(std::ranges::equal(x.local(), std::vector{4, 2, 2, 3}));
    std::vector<int> values;
    for (const auto message : queue)
      values.push_back(static_cast<int>(message.tag()) + message.values()[0]);
    EXPECT_EQ(values, (std::vector{55, 66, 77}));
  });
}

TEST_P(InPlaceOver, stays_within_what_there_is) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 4);
    Queue<int> queue(world);
    world.sync();
    EXPECT_THROW(x.put_in_place(1 - world.rank(), 1, 4), UsageError);
    EXPECT_THROW(x.put_in_place(2, 0, 1), UsageError);
    EXPECT_TRUE(x.put_in_place(7, 0, 0).empty()) << "a transfer of no elements does nothing";
    EXPECT_THROW(queue.send_in_place(2, 0, 1), UsageError);
    EXPECT_ANY_THROW(queue.send_in_place(world.rank(), 0, std::numeric_limits<std::size_t>::max() / 2));
    world.sync();
  });
}

}  // namespace
}  // namespace lbsp
