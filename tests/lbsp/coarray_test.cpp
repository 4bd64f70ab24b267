#include "lbsp/coarray.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "tests/support/run_ranks.hpp"

namespace lbsp {
namespace {

class CoarrayOver : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(CoarrayOver);

TEST_P(CoarrayOver, shows_a_put_after_the_sync_and_not_before) {
  run_ranks(4, [](World& world) {
    Coarray<int> x(world, 1);
    world.sync();
    x((world.rank() + 1) % world.size())[0] = world.rank() + 100;
    EXPECT_EQ(x[0], 0);
    world.sync();
    EXPECT_EQ(x[0], (world.rank() + world.size() - 1) % world.size() + 100);
  });
}

TEST_P(CoarrayOver, takes_puts_in_the_superstep_of_its_registration) {
  run_ranks(3, [](World& world) {
    Coarray<int> x(world, 3);
    for (Rank to = 0; to < world.size(); ++to)
      x(to)[static_cast<std::size_t>(world.rank())] = world.rank() + 1;
    world.sync();
    for (Rank from = 0; from < world.size(); ++from)
      EXPECT_EQ(x[static_cast<std::size_t>(from)], from + 1);
  });
}

TEST_P(CoarrayOver, copies_what_is_put_at_the_call) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 2);
    std::vector<int> values{1, 2};
    x.put(1 - world.rank(), 0, values);
    values = {8, 9};
    world.sync();
    EXPECT_EQ(x[0], 1);
    EXPECT_EQ(x[1], 2);
  });
}

TEST_P(CoarrayOver, gets_what_stands_at_the_end_of_the_superstep) {
  run_ranks(3, [](World& world) {
    Coarray<int> x(world, 1);
    const auto next = x.get((world.rank() + 1) % world.size(), 0);
    x[0] = world.rank() + 10;  // after the call of get, before the sync
    EXPECT_FALSE(next.ready());
    world.sync();
    EXPECT_EQ(next.value(), (world.rank() + 1) % world.size() + 10);
  });
}

TEST_P(CoarrayOver, gets_the_value_that_stood_before_the_superstep_s_puts) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 1);
    x[0] = 5;
    world.sync();
    const auto other = x.get(1 - world.rank(), 0);
    const auto own = x.get(world.rank(), 0);
    x(1 - world.rank())[0] = 6;
    world.sync();
    EXPECT_EQ(other.value(), 5);
    EXPECT_EQ(own.value(), 5);
    EXPECT_EQ(x[0], 6);
  });
}

TEST_P(CoarrayOver, lets_the_put_win_where_a_get_fills_the_same_element) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 2);
    x[0] = 1;
    x[1] = 2;
    world.sync();
    x.get(1 - world.rank(), 0, x.local().subspan(1));
    x(1 - world.rank())[1] = 77;
    world.sync();
    EXPECT_EQ(x[1], 77);
  });
}

TEST_P(CoarrayOver, resolves_conflicting_puts_by_source_rank_then_call_order) {
  run_ranks(4, [](World& world) {
    Coarray<int> x(world, 4);
    for (Rank to = 0; to < world.size(); ++to) {
      // Element r is put by the ranks up to r, twice each; so the last call of rank r must stay.
      for (Rank at = world.rank(); at < world.size(); ++at) {
        x(to)[static_cast<std::size_t>(at)] = -1;
        x(to)[static_cast<std::size_t>(at)] = world.rank() + 1;
      }
    }
    world.sync();
    for (Rank at = 0; at < world.size(); ++at)
      EXPECT_EQ(x[static_cast<std::size_t>(at)], at + 1);
  });
}

TEST_P(CoarrayOver, resolves_overlapping_puts_element_by_element) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 6);
    const std::vector<int> values(4, world.rank() + 1);
    x.put(0, world.rank() == 0 ? 0 : 2, values);
    const std::vector<int> later(2, 10 * (world.rank() + 1));
    x.put(0, 1, later);
    world.sync();
    if (world.rank() == 0) {
      EXPECT_EQ(std::vector<int>(x.local().begin(), x.local().end()), (std::vector<int>{1, 20, 20, 2, 2, 2}));
    }
  });
}

TEST_P(CoarrayOver, moves_megabytes_to_everyone_and_back) {
  run_ranks(3, [](World& world) {
    const std::size_t count = 300'000;
    Coarray<std::uint32_t> x(world, count * 3);
    std::vector<std::uint32_t> values(count);
    for (Rank to = 0; to < world.size(); ++to) {
      std::iota(values.begin(), values.end(), static_cast<std::uint32_t>(world.rank() * 1'000'000 + to));
      x.put(to, static_cast<std::size_t>(world.rank()) * count, values);
    }
    world.sync();
    const Rank next = (world.rank() + 1) % world.size();
    const auto got = x.get(next, 0, 3 * count);
    world.sync();
    for (std::size_t i = 0; i < 3 * count; ++i) {
      const auto source = static_cast<std::uint32_t>(i / count);
      ASSERT_EQ(got.values()[i], source * 1'000'000 + static_cast<std::uint32_t>(next) + i % count);
    }
  });
}

/// Of each length, also those that are never offered; another value in each superstep and for each receiver.
TEST_P(CoarrayOver, puts_without_buffers_what_stands_in_the_source_at_the_sync) {
  run_ranks(3, [](World& world) {
    const std::vector<std::size_t> counts{1, 3000, 50'000, 150'000};
    Coarray<int> x(world, 3 * counts.back());
    std::vector<int> source(3 * counts.back());
    const auto value = [&](std::size_t step, Rank from, Rank to, std::size_t i) {
      return static_cast<int>(step * 1'000'000 + i * 10) + 3 * from + to;
    };
    for (std::size_t step = 0; step < 2 * counts.size(); ++step) {
      const std::size_t count = counts[step % counts.size()];
      for (Rank to = 0; to < world.size(); ++to) {
        const auto part = std::span(source).subspan(static_cast<std::size_t>(to) * counts.back(), count);
        for (std::size_t i = 0; i < count; ++i)
          part[i] = value(step, world.rank(), to, i);
        x.put_unbuffered(to, static_cast<std::size_t>(world.rank()) * counts.back(), part);
      }
      world.sync();
      for (Rank from = 0; from < world.size(); ++from) {
        for (std::size_t i = 0; i<count; i += count> 1000 ? 997 : 1) {
          ASSERT_EQ(x[static_cast<std::size_t>(from) * counts.back() + i],
                    value(step, from, world.rank(), i));
        }
      }
    }
  });
}

TEST_P(CoarrayOver, orders_puts_without_buffers_among_all_others) {
  run_ranks(2, [](World& world) {
    constexpr std::size_t count = 40'000;
    Coarray<int> x(world, count);
    const std::vector<int> first(count, 10 + world.rank());
    const std::vector<int> second(count / 2, 20 + world.rank());
    world.sync();
    world.sync();
    const auto before = x.get(1 - world.rank(), count - 1);
    x.put_unbuffered(0, 0, first);
    x.put(0, 0, second);
    x.put_unbuffered(0, count / 4, second);
    if (world.rank() == 0) x.put(0, count / 2, first[0]);
    world.sync();
    EXPECT_EQ(before.value(), 0);
    if (world.rank() == 0) {
      EXPECT_EQ(x[0], 21);
      EXPECT_EQ(x[count / 2], 21);
      EXPECT_EQ(x[3 * count / 4], 11);
      EXPECT_EQ(x[count - 1], 11);
    }
  });
}

/// Each array is read by one rank while it is filled from another: all must see the old values.
TEST_P(CoarrayOver, shifts_long_arrays_in_place_by_gets) {
  run_ranks(3, [](World& world) {
    constexpr std::size_t count = 60'000;
    Coarray<int> x(world, count);
    Coarray<int> apart(world, count);
    const Rank next = (world.rank() + 1) % world.size();
    for (std::size_t i = 0; i < count; ++i)
      x[i] = static_cast<int>(i) * 3 + world.rank();
    for (int step = 1; step < 8; ++step) {
      x.get(next, 0, x.local());
      apart.get(next, 0, apart.local().first(count / 2));
      x.get(next, 0, apart.local().last(count / 2));
      x.put(next, 7, -1);
      world.sync();
      const int from = (world.rank() + step) % world.size();
      EXPECT_EQ(x[7], -1);
      x[7] = 7 * 3 + from;
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(x[i], static_cast<int>(i) * 3 + from);
      for (std::size_t i = 0; i < count / 2; i += 101)
        ASSERT_EQ(apart[count / 2 + i], static_cast<int>(i) * 3 + from);
      world.sync();
    }
  });
}

/// In turns, so that both kinds are waited for in one superstep.
TEST_P(CoarrayOver, gets_long_arrays_before_puts_without_buffers_change_them) {
  run_ranks(3, [](World& world) {
    constexpr std::size_t count = 60'000;
    Coarray<int> x(world, count);
    const Rank next = (world.rank() + 1) % world.size();
    const Rank previous = (world.rank() + 2) % world.size();
    std::vector<int> source(count);
    std::vector<int> got(count);
    world.sync();
    for (int step = 1; step < 10; ++step) {
      std::ranges::fill(source, 10 * step + world.rank());
      if ((step + world.rank()) % 3 != 0) x.get(next, 0, got);
      x.put_unbuffered(next, 0, source);
      world.sync();
      if ((step + world.rank()) % 3 != 0) {
        ASSERT_EQ(std::ranges::count(got, step == 1 ? 0 : 10 * (step - 1) + world.rank()), std::ssize(got));
      }
      ASSERT_EQ(std::ranges::count(x.local(), 10 * step + previous), std::ssize(x.local()));
    }
  });
}

TEST_P(CoarrayOver, counts_what_is_put_without_buffers_as_sent) {
  run_ranks(2, [](World& world) {
    constexpr std::size_t count = 100'000;
    Coarray<std::byte> x(world, count);
    const std::vector<std::byte> source(count, std::byte{7});
    world.sync();
    world.sync();
    if (world.rank() == 0) x.put_unbuffered(1, 0, source);
    EXPECT_EQ(world.unsynced(), world.rank() == 0 ? "100000 bytes put" : "");
    world.sync();
    EXPECT_GE(world.history().records().back().h, count);
    EXPECT_LE(world.history().records().back().h, count + 1000);
  });
}

TEST_P(CoarrayOver, refuses_a_put_without_a_buffer_that_is_out_of_range) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 50'000);
    const std::vector<int> source(50'000);
    world.sync();
    EXPECT_THROW(x.put_unbuffered(1 - world.rank(), 1, source), UsageError);
    EXPECT_THROW(x.put_unbuffered(2, 0, source), UsageError);
    x.put_unbuffered(7, 0, std::span(source).first(0));
    world.sync();
  });
}

TEST_P(CoarrayOver, works_in_a_world_of_one) {
  run_ranks(1, [](World& world) {
    Coarray<double> x(world, 2);
    x(0)[1] = 2.5;
    const auto before = x.get(0, 1);
    world.sync();
    EXPECT_EQ(before.value(), 0);
    EXPECT_EQ(x[1], 2.5);
  });
}

TEST_P(CoarrayOver, may_have_another_size_on_every_rank_or_none) {
  run_ranks(3, [](World& world) {
    Coarray<int> x(world, static_cast<std::size_t>(world.rank()));
    world.sync();
    for (Rank rank = 0; rank < world.size(); ++rank)
      EXPECT_EQ(x.size_at(rank), static_cast<std::size_t>(rank));
    x(2)[1] = 4;
    EXPECT_THROW(x(0)[0] = 4, UsageError);
    world.sync();
    if (world.rank() == 2) {
      EXPECT_EQ(x[1], 4);
    }
  });
}

}  // namespace
}  // namespace lbsp
