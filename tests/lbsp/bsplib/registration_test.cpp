// R1, R2, R3 and R5 of BSPlib's semantics. The names begin with the line they are of.
#include <memory>
#include <vector>

#include "tests/lbsp/bsplib/over_backends.hpp"

namespace lbsp {
namespace {

using test::bytes_of;
using test::next;
using test::previous;

class BsplibRegistrationOver : public test::BsplibOver {};
LBSP_OVER_ALL_BACKENDS(BsplibRegistrationOver);

TEST_P(BsplibRegistrationOver, R1_a_push_takes_effect_at_the_next_superstep) {
  run(3, [] {
    int x = -1;
    const int mine = bsp_pid();
    bsp_push_reg(&x, bytes_of<int>());
    bsp_sync();
    bsp_put(next(), &mine, &x, 0, bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(x, previous());
  });
}

TEST_P(BsplibRegistrationOver, R1_a_put_to_what_was_just_pushed_aborts_at_once) {
  int reached = 0;
  expect_refusal(
      [&] {
        int x = 0;
        bsp_push_reg(&x, bytes_of<int>());
        bsp_put(0, &x, &x, 0, bytes_of<int>());
        ++reached;
      },
      {"bsp_put on rank 1 in superstep 1", "registered only from the next superstep on"});
  EXPECT_EQ(reached, 0);
}

TEST_P(BsplibRegistrationOver, R1_a_get_from_what_was_just_pushed_aborts_at_once) {
  expect_refusal(
      [] {
        int x = 0;
        bsp_push_reg(&x, bytes_of<int>());
        bsp_get(0, &x, 0, &x, bytes_of<int>());
      },
      {"bsp_get on rank 1 in superstep 1", "registered only from the next superstep on"});
}

TEST_P(BsplibRegistrationOver, R1_what_was_just_popped_can_be_put_to_until_the_sync) {
  run(2, [] {
    int x = -1;
    const int mine = bsp_pid() + 10;
    bsp_push_reg(&x, bytes_of<int>());
    bsp_sync();
    bsp_pop_reg(&x);
    bsp_put(next(), &mine, &x, 0, bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(x, previous() + 10);
  });
}

TEST_P(BsplibRegistrationOver, R1_what_was_popped_before_the_sync_is_not_registered_after_it) {
  expect_failure(2,
                 [] {
                   int x = 0;
                   bsp_push_reg(&x, bytes_of<int>());
                   bsp_sync();
                   bsp_pop_reg(&x);
                   bsp_sync();
                   bsp_put(0, &x, &x, 0, bytes_of<int>());
                 },
                 {"bsp_put on rank", "in superstep 2", "not registered here"});
}

TEST_P(BsplibRegistrationOver, R1_different_numbers_of_pushes_abort_at_the_sync) {
  expect_failure(
      2,
      [] {
        int x = 0;
        bsp_sync();
        if (bsp_pid() == 1) bsp_push_reg(&x, bytes_of<int>());
        bsp_sync();
      },
      {"bsp_sync on rank", "in superstep 1", "rank 0 made no such call", "rank 1 called bsp_push_reg"});
}

TEST_P(BsplibRegistrationOver, R1_different_numbers_of_pops_abort_at_the_sync) {
  expect_failure(
      2,
      [] {
        int x = 0;
        bsp_push_reg(&x, bytes_of<int>());
        bsp_sync();
        if (bsp_pid() == 0) bsp_pop_reg(&x);
        bsp_sync();
      },
      {"bsp_sync on rank", "in superstep 1", "rank 1 made no such call", "rank 0 called bsp_pop_reg"});
}

TEST_P(BsplibRegistrationOver, R2_the_newest_registration_counts_whether_larger_or_smaller) {
  run(2, [] {
    std::vector<int> x(4, -1);
    const std::vector<int> mine(4, bsp_pid());
    bsp_push_reg(x.data(), bytes_of<int>(1));
    bsp_push_reg(x.data(), bytes_of<int>(4));
    bsp_sync();
    bsp_put(next(), mine.data(), x.data(), 0, bytes_of<int>(4));
    bsp_sync();
    EXPECT_EQ(x, std::vector<int>(4, previous()));
    bsp_push_reg(x.data(), bytes_of<int>(2));
    bsp_sync();
    EXPECT_THROW(bsp_put(next(), mine.data(), x.data(), 0, bytes_of<int>(3)), UsageError);
    bsp_pop_reg(x.data());
    bsp_sync();
    bsp_put(next(), mine.data(), x.data(), 0, bytes_of<int>(4));
    bsp_sync();
  });
}

TEST_P(BsplibRegistrationOver, R2_a_pop_removes_also_what_was_pushed_in_the_same_superstep) {
  run(2, [] {
    std::vector<int> x(2, -1);
    const std::vector<int> mine(2, bsp_pid());
    bsp_push_reg(x.data(), bytes_of<int>(2));
    bsp_sync();
    bsp_push_reg(x.data(), bytes_of<int>(1));
    bsp_pop_reg(x.data());
    bsp_sync();
    bsp_put(next(), mine.data(), x.data(), 0, bytes_of<int>(2));
    bsp_sync();
    EXPECT_EQ(x, std::vector<int>(2, previous()));
  });
}

TEST_P(BsplibRegistrationOver, R2_pushed_and_popped_in_one_superstep_is_as_if_never_pushed) {
  run(2, [] {
    int x = 0;
    bsp_push_reg(&x, bytes_of<int>());
    bsp_pop_reg(&x);
    bsp_sync();
    EXPECT_THROW(bsp_put(0, &x, &x, 0, bytes_of<int>()), UsageError);
    EXPECT_THROW(bsp_pop_reg(&x), UsageError);
    bsp_sync();
  });
}

TEST_P(BsplibRegistrationOver, R2_pops_of_different_addresses_need_not_nest) {
  run(2, [] {
    int x = -1;
    int y = -1;
    const int mine = bsp_pid();
    bsp_push_reg(&x, bytes_of<int>());
    bsp_push_reg(&y, bytes_of<int>());
    bsp_sync();
    bsp_pop_reg(&x);
    bsp_sync();
    bsp_put(next(), &mine, &y, 0, bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(y, previous());
    bsp_pop_reg(&y);
    bsp_sync();
  });
}

TEST_P(BsplibRegistrationOver, R2_a_hundred_registrations_and_one_address_33_times_are_fine) {
  run(2, [] {
    std::vector<int> x(150, -1);
    int y = -1;
    for (auto& each : x)
      bsp_push_reg(&each, bytes_of<int>());
    for (int i = 0; i < 33; ++i)
      bsp_push_reg(&y, bytes_of<int>());
    bsp_sync();
    for (int i = 0; i < 150; ++i)
      bsp_put(next(), &i, &x[static_cast<std::size_t>(i)], 0, bytes_of<int>());
    for (int i = 0; i < 32; ++i)
      bsp_pop_reg(&y);
    bsp_sync();
    for (int i = 0; i < 150; ++i)
      EXPECT_EQ(x[static_cast<std::size_t>(i)], i);
    const int seven = 7;
    bsp_put(next(), &seven, &y, 0, bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(y, 7);
    bsp_pop_reg(&y);
    EXPECT_THROW(bsp_pop_reg(&y), UsageError);
    bsp_sync();
  });
}

TEST_P(BsplibRegistrationOver, R3_slots_match_by_the_order_of_the_calls_and_not_by_address) {
  run(2, [] {
    std::vector<int> memory(2, -1);
    // In rank 1's memory the two stand the other way round.
    int* const first = &memory[bsp_pid() == 0 ? 0 : 1];
    int* const second = &memory[bsp_pid() == 0 ? 1 : 0];
    bsp_push_reg(first, bytes_of<int>());
    bsp_push_reg(second, bytes_of<int>());
    bsp_sync();
    const int one = 1;
    const int two = 2;
    bsp_put(next(), &one, first, 0, bytes_of<int>());
    bsp_put(next(), &two, second, 0, bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(*first, 1);
    EXPECT_EQ(*second, 2);
  });
}

TEST_P(BsplibRegistrationOver, R3_ranks_that_pop_different_slots_abort_at_the_sync_and_are_named) {
  expect_failure(2,
                 [] {
                   int x = 0;
                   int y = 0;
                   bsp_push_reg(&x, bytes_of<int>());
                   bsp_push_reg(&y, bytes_of<int>());
                   bsp_sync();
                   bsp_pop_reg(bsp_pid() == 0 ? &x : &y);
                   bsp_sync();
                 },
                 {"bsp_sync on rank", "in superstep 1", "rank 0 called bsp_pop_reg for registration 1",
                  "rank 1 called bsp_pop_reg for registration 2"});
}

TEST_P(BsplibRegistrationOver, R3_base_and_size_are_each_ranks_own) {
  run(3, [] {
    std::vector<int> x(static_cast<std::size_t>(bsp_pid()) + 1, -1);
    bsp_push_reg(x.data(), bytes_of<int>(x.size()));
    bsp_sync();
    const int mine = bsp_pid();
    bsp_put(2, &mine, x.data(), 2 * bytes_of<int>(), bytes_of<int>());  // further than the own memory goes
    bsp_sync();
    if (bsp_pid() == 2) {
      EXPECT_EQ(x[2], 2);
    }
    EXPECT_THROW(bsp_put(1, &mine, x.data(), 2 * bytes_of<int>(), bytes_of<int>()), UsageError);
    bsp_sync();
  });
}

TEST_P(BsplibRegistrationOver, R5_popped_memory_may_be_freed_and_pushed_again_before_the_sync) {
  run(3, [] {
    auto x = std::make_unique<std::vector<int>>(100, 1);
    bsp_push_reg(x->data(), bytes_of<int>(100));
    bsp_sync();
    for (int step = 0; step < 20; ++step) {
      int* const old = x->data();
      bsp_pop_reg(old);
      const auto size = static_cast<std::size_t>(100 + step % 3);
      x = std::make_unique<std::vector<int>>(size, -1);
      bsp_push_reg(x->data(), bytes_of<int>(size));
      bsp_sync();
      bsp_put(next(), &step, x->data(), bytes_of<int>(size - 1), bytes_of<int>());
      bsp_sync();
      EXPECT_EQ(x->back(), step);
    }
  });
}

TEST_P(BsplibRegistrationOver, R5_the_same_address_popped_and_pushed_in_one_superstep_stays_usable_in_it) {
  run(2, [] {
    std::vector<int> x(2, -1);
    const int mine = bsp_pid();
    bsp_push_reg(x.data(), bytes_of<int>(1));
    bsp_sync();
    bsp_pop_reg(x.data());
    bsp_push_reg(x.data(), bytes_of<int>(2));
    bsp_put(next(), &mine, x.data(), 0, bytes_of<int>());
    EXPECT_THROW(bsp_put(next(), &mine, x.data(), bytes_of<int>(), bytes_of<int>()), UsageError);
    bsp_sync();
    EXPECT_EQ(x[0], previous());
    bsp_put(next(), &mine, x.data(), bytes_of<int>(), bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(x[1], previous());
  });
}

}  // namespace
}  // namespace lbsp
