// R4 of BSPlib's semantics: registrations without memory.
#include "tests/lbsp/bsplib/over_backends.hpp"

namespace lbsp {
namespace {

using test::bytes_of;
using test::next;

class BsplibAbsentRegistrationOver : public test::BsplibOver {};
LBSP_OVER_ALL_BACKENDS(BsplibAbsentRegistrationOver);

TEST_P(BsplibAbsentRegistrationOver, R4_null_of_size_0_is_no_memory_here) {
  run(2, [] {
    int x = -1;
    const int mine = 5;
    // Only rank 0 has memory, and nobody else can name it: the base is the local one.
    bsp_push_reg(bsp_pid() == 0 ? &x : nullptr, bsp_pid() == 0 ? bytes_of<int>() : 0);
    bsp_sync();
    if (bsp_pid() == 0) {
      bsp_put(0, &mine, &x, 0, bytes_of<int>());
      EXPECT_THROW(bsp_put(1, &mine, &x, 0, bytes_of<int>()), UsageError);
    }
    bsp_sync();
    if (bsp_pid() == 0) {
      EXPECT_EQ(x, 5);
    }
    bsp_pop_reg(bsp_pid() == 0 ? &x : nullptr);
    bsp_sync();
  });
}

TEST_P(BsplibAbsentRegistrationOver, R4_null_with_bytes_aborts) {
  expect_refusal([] { bsp_push_reg(nullptr, 8); },
                 {"bsp_push_reg on rank 1 in superstep 1", "8 bytes at NULL"});
}

TEST_P(BsplibAbsentRegistrationOver, R4_a_put_through_null_aborts) {
  expect_failure(2,
                 [] {
                   const int mine = 0;
                   bsp_push_reg(nullptr, 0);
                   bsp_sync();
                   bsp_put(0, &mine, nullptr, 0, bytes_of<int>());
                 },
                 {"bsp_put on rank", "in superstep 1", "NULL"});
}

TEST_P(BsplibAbsentRegistrationOver, R4_a_get_through_null_aborts) {
  expect_refusal(
      [] {
        int mine = 0;
        bsp_get(0, nullptr, 0, &mine, bytes_of<int>());
      },
      {"bsp_get on rank 1 in superstep 1", "NULL"});
}

TEST_P(BsplibAbsentRegistrationOver, R4_a_pop_of_null_means_what_the_other_ranks_pop) {
  run(3, [] {
    int a = 1;
    int b = 2;
    int c = 3;
    const bool has = bsp_pid() == 2;
    // Three registrations of which only rank 2 has memory: its pops decide which NULL is meant.
    for (int* const each : {&a, &b, &c})
      bsp_push_reg(has ? each : nullptr, has ? bytes_of<int>() : 0);
    bsp_sync();
    bsp_pop_reg(has ? &b : nullptr);
    bsp_sync();
    if (has) {
      EXPECT_THROW(bsp_put(2, &a, &b, 0, bytes_of<int>()), UsageError);
      bsp_put(2, &c, &a, 0, bytes_of<int>());
    }
    bsp_pop_reg(has ? &a : nullptr);
    bsp_pop_reg(has ? &c : nullptr);
    bsp_sync();
    if (has) {
      EXPECT_EQ(a, 3);
    }
    EXPECT_THROW(bsp_pop_reg(nullptr), UsageError);
    bsp_sync();
  });
}

TEST_P(BsplibAbsentRegistrationOver, R4_a_pop_of_null_on_all_ranks_means_the_newest_that_is_null_on_all) {
  run(2, [] {
    int x = -1;
    int y = -1;
    const bool has = bsp_pid() == 0;
    bsp_push_reg(nullptr, 0);
    bsp_push_reg(has ? &x : nullptr, has ? bytes_of<int>() : 0);  // newer, but NULL on rank 1 only
    bsp_push_reg(&y, bytes_of<int>());
    bsp_sync();
    bsp_pop_reg(nullptr);
    bsp_sync();
    const int five = 5;
    if (has) bsp_put(0, &five, &x, 0, bytes_of<int>());
    bsp_put(next(), &five, &y, 0, bytes_of<int>());
    bsp_sync();
    if (has) {
      EXPECT_EQ(x, 5);
    }
    EXPECT_EQ(y, 5);
    bsp_pop_reg(has ? &x : nullptr);
    bsp_pop_reg(&y);
    bsp_sync();
    EXPECT_THROW(bsp_pop_reg(nullptr), UsageError);
    bsp_sync();
  });
}

TEST_P(BsplibAbsentRegistrationOver, R4_a_pop_of_null_means_also_what_was_pushed_in_the_same_superstep) {
  run(2, [] {
    bsp_push_reg(nullptr, 0);
    bsp_pop_reg(nullptr);
    bsp_push_reg(nullptr, 0);
    bsp_push_reg(nullptr, 0);
    bsp_pop_reg(nullptr);
    bsp_sync();
    bsp_pop_reg(nullptr);
    bsp_sync();
    EXPECT_THROW(bsp_pop_reg(nullptr), UsageError);
    bsp_sync();
  });
}

TEST_P(BsplibAbsentRegistrationOver, R4_a_pop_of_null_that_nothing_fits_aborts_at_the_sync) {
  expect_failure(2,
                 [] {
                   int x = 0;
                   const bool has = bsp_pid() == 0;
                   bsp_push_reg(has ? &x : nullptr, has ? bytes_of<int>() : 0);
                   bsp_push_reg(has ? nullptr : &x, has ? 0 : bytes_of<int>());
                   bsp_sync();
                   bsp_pop_reg(nullptr);
                   bsp_sync();
                 },
                 {"bsp_sync on rank", "in superstep 1", "no registration is without memory on every rank"});
}

TEST_P(BsplibAbsentRegistrationOver,
       R4_a_pop_of_null_where_the_others_pop_what_has_memory_there_aborts_at_the_sync) {
  expect_failure(2,
                 [] {
                   int x = 0;
                   bsp_push_reg(&x, bytes_of<int>());
                   bsp_push_reg(nullptr, 0);
                   bsp_sync();
                   bsp_pop_reg(bsp_pid() == 0 ? &x : nullptr);
                   bsp_sync();
                 },
                 {"bsp_sync on rank", "rank 1 called bsp_pop_reg(NULL)", "has memory there"});
}

TEST_P(BsplibAbsentRegistrationOver, R4_a_negative_size_aborts) {
  expect_refusal(
      [] {
        int x = 0;
        bsp_push_reg(&x, -4);
      },
      {"bsp_push_reg on rank 1 in superstep 1", "a size of -4 bytes"});
}

TEST_P(BsplibAbsentRegistrationOver,
       R4_size_0_with_an_address_gives_and_takes_nothing_but_can_name_the_others) {
  run(2, [] {
    int x = -1;
    const int mine = bsp_pid();
    bsp_push_reg(&x, bsp_pid() == 0 ? bytes_of<int>() : 0);
    bsp_sync();
    if (bsp_pid() == 1) bsp_put(0, &mine, &x, 0, bytes_of<int>());
    if (bsp_pid() == 0) {
      EXPECT_THROW(bsp_put(1, &mine, &x, 0, bytes_of<int>()), UsageError);
    }
    bsp_sync();
    EXPECT_EQ(x, bsp_pid() == 0 ? 1 : -1);
  });
}

TEST_P(BsplibAbsentRegistrationOver, R4_a_pop_of_what_is_not_registered_aborts) {
  expect_refusal(
      [] {
        int x = 0;
        bsp_pop_reg(&x);
      },
      {"bsp_pop_reg on rank 1 in superstep 1", "not registered here"});
}

}  // namespace
}  // namespace lbsp
