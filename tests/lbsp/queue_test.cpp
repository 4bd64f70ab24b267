#include "lbsp/queue.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <utility>
#include <vector>

#include "lbsp/coarray.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp {
namespace {

class QueueOver : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(QueueOver);

TEST_P(QueueOver, delivers_by_source_rank_then_call_order) {
  run_ranks(3, [](World& world) {
    Queue<int, int> queue(world);
    for (int call = 0; call < 3; ++call) {
      for (Rank to = world.size() - 1; to >= 0; --to)
        queue.send(to, call, world.rank() * 10 + call);
    }
    EXPECT_TRUE(queue.empty());
    world.sync();
    std::vector<int> order;
    for (const auto message : queue) {
      EXPECT_EQ(message.values().front(), message.source() * 10 + message.tag());
      order.push_back(message.values().front());
    }
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 10, 11, 12, 20, 21, 22}));
  });
}

TEST_P(QueueOver, forgets_unread_messages_at_the_next_sync) {
  run_ranks(2, [](World& world) {
    Queue<int> queue(world);
    queue.send(1 - world.rank(), 1, 1);
    world.sync();
    EXPECT_EQ(queue.size(), 1U);
    world.sync();
    EXPECT_TRUE(queue.empty());
  });
}

TEST_P(QueueOver, carries_messages_without_values) {
  run_ranks(2, [](World& world) {
    Queue<double, std::uint16_t> queue(world);
    queue.send(1 - world.rank(), 0, std::span<const double>{});
    queue.send(1 - world.rank(), 7, std::span<const double>{});
    world.sync();
    ASSERT_EQ(queue.size(), 2U);
    EXPECT_EQ(queue[1].tag(), 7);
    EXPECT_TRUE(queue[1].values().empty());
  });
}

TEST_P(QueueOver, views_values_aligned_whatever_the_tag_and_what_came_before) {
  struct Tag {
    std::array<char, 3> text;
  };
  run_ranks(2, [](World& world) {
    Queue<std::complex<long double>, Tag> wide(world);
    Queue<char, Tag> narrow(world);
    const std::vector<std::complex<long double>> values(5, {1.5L, -2});
    for (std::size_t n = 0; n < 5; ++n) {
      narrow.send(1 - world.rank(), {{'a', 'b', 'c'}}, std::vector<char>(n, 'x'));
      wide.send(1 - world.rank(), {{'d', 'e', 'f'}}, std::span(values).first(n));
    }
    world.sync();
    ASSERT_EQ(wide.size(), 5U);
    for (std::size_t n = 0; n < 5; ++n) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide[n].values().data()) % 16, 0U);
      EXPECT_EQ(std::vector(wide[n].values().begin(), wide[n].values().end()),
                std::vector(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)));
      EXPECT_EQ(wide[n].tag().text[2], 'f');
      EXPECT_EQ(narrow[n].values().size(), n);
    }
  });
}

TEST_P(QueueOver, keeps_queues_apart_from_each_other_and_from_puts) {
  run_ranks(2, [](World& world) {
    Queue<int> first(world);
    Coarray<int> x(world, 1);
    Queue<int> second(world);
    const Rank other = 1 - world.rank();
    second.send(other, 2, 22);
    x(other)[0] = 33;
    first.send(other, 1, 11);
    world.sync();
    ASSERT_EQ(first.size(), 1U);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(first[0].values()[0], 11);
    EXPECT_EQ(second[0].values()[0], 22);
    EXPECT_EQ(x[0], 33);
  });
}

TEST_P(QueueOver, carries_a_message_of_megabytes) {
  run_ranks(2, [](World& world) {
    Queue<std::uint64_t> queue(world);
    std::vector<std::uint64_t> values(500'000);
    std::iota(values.begin(), values.end(), static_cast<std::uint64_t>(world.rank()));
    queue.send(1 - world.rank(), 0, values);
    world.sync();
    ASSERT_EQ(queue.size(), 1U);
    ASSERT_EQ(queue[0].values().size(), values.size());
    EXPECT_EQ(queue[0].values().back(), values.size() - 1 + static_cast<std::uint64_t>(1 - world.rank()));
  });
}

TEST_P(QueueOver, drops_what_is_sent_to_a_queue_given_up_in_the_same_superstep) {
  run_ranks(2, [](World& world) {
    {
      Queue<int> queue(world);
      queue.send(1 - world.rank(), 1, 1);
    }
    Queue<int> next(world);
    world.sync();
    EXPECT_TRUE(next.empty());
    next.send(1 - world.rank(), 1, 5);
    world.sync();
    EXPECT_EQ(next.size(), 1U);
  });
}

TEST_P(QueueOver, lets_a_received_message_be_sent_on_in_place) {
  run_ranks(3, [](World& world) {
    Queue<int, int> ring(world);
    const Rank next = (world.rank() + 1) % world.size();
    ring.send(next, 0, std::vector{world.rank(), 1, 2});
    for (int hop = 1; hop <= 6; ++hop) {
      world.sync();
      ASSERT_EQ(ring.size(), 1U);
      ring.send(next, hop, ring[0].values());
    }
    EXPECT_EQ(ring[0].values()[0], world.rank());
    EXPECT_EQ(ring[0].tag(), 5);
    world.sync();
  });
}

TEST_P(QueueOver, refuses_a_rank_that_does_not_exist) {
  run_ranks(2, [](World& world) {
    Queue<int> queue(world);
    try {
      queue.send(2, 0, 1);
      ADD_FAILURE() << "rank 2 of 2 was taken";
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), "send in superstep 0 on rank " + std::to_string(world.rank()) +
                                  " names rank 2: choose 0 to 1");
    }
  });
}

}  // namespace
}  // namespace lbsp
