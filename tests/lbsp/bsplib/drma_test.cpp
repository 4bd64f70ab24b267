// D1 to D4 of BSPlib's semantics. The names begin with the line they are of.
#include <climits>
#include <numeric>
#include <vector>

#include "tests/lbsp/bsplib/over_backends.hpp"

namespace lbsp {
namespace {

using test::bytes_of;
using test::next;
using test::previous;

class BsplibTransfersOver : public test::BsplibOver {
 protected:
  /// A registered array of `count` ints on each of two ranks; `body` on rank 1 must be refused.
  void expect_refused_transfer(const std::function<void(std::vector<int>&)>& body,
                               const std::vector<std::string>& parts) const {
    expect_failure(
        2,
        [&] {
          std::vector<int> x(4);
          bsp_push_reg(x.data(), bytes_of<int>(bsp_pid() == 0 ? 2 : 4));
          bsp_sync();
          if (bsp_pid() == 1) body(x);
          bsp_sync();
        },
        parts);
  }
};
LBSP_OVER_ALL_BACKENDS(BsplibTransfersOver);

TEST_P(BsplibTransfersOver, D1_gets_read_what_stands_at_the_end_of_the_superstep) {
  run(3, [] {
    int x = -1;
    int got = -1;
    bsp_push_reg(&x, bytes_of<int>());
    bsp_sync();
    bsp_get(next(), &x, 0, &got, bytes_of<int>());
    x = bsp_pid() + 100;  // after the call, and it counts
    bsp_sync();
    EXPECT_EQ(got, next() + 100);
  });
}

TEST_P(BsplibTransfersOver, D1_a_get_of_a_cell_that_is_also_put_brings_the_old_value) {
  run(3, [] {
    int x = bsp_pid();
    int got = -1;
    const int put = bsp_pid() + 50;
    bsp_push_reg(&x, bytes_of<int>());
    bsp_sync();
    bsp_put(next(), &put, &x, 0, bytes_of<int>());
    bsp_get(next(), &x, 0, &got, bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(got, next());
    EXPECT_EQ(x, previous() + 50);
  });
}

TEST_P(BsplibTransfersOver, D1_where_a_get_and_a_put_write_the_same_cell_the_put_wins) {
  run(2, [] {
    std::vector<int> x = {bsp_pid(), bsp_pid()};
    const int put = 77;
    bsp_push_reg(x.data(), bytes_of<int>(2));
    bsp_sync();
    bsp_put(next(), &put, x.data(), 0, bytes_of<int>());
    bsp_get(next(), x.data(), bytes_of<int>(), x.data(), bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(x[0], 77);
  });
}

TEST_P(BsplibTransfersOver, D1_two_ranks_can_swap_by_gets_alone) {
  run(2, [] {
    int x = bsp_pid();
    bsp_push_reg(&x, bytes_of<int>());
    bsp_sync();
    bsp_get(next(), &x, 0, &x, bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(x, next());
  });
}

TEST_P(BsplibTransfersOver, D2_put_copies_its_source_at_the_call) {
  run(2, [] {
    int x = -1;
    bsp_push_reg(&x, bytes_of<int>());
    bsp_sync();
    int source = 1;
    bsp_put(next(), &source, &x, 0, bytes_of<int>());
    source = 2;
    bsp_sync();
    EXPECT_EQ(x, 1);
  });
}

TEST_P(BsplibTransfersOver, D2_hpput_and_hpget_transfer_too_and_to_oneself) {
  run(2, [] {
    std::vector<int> x(2, -1);
    bsp_push_reg(x.data(), bytes_of<int>(2));
    bsp_sync();
    const int source = bsp_pid();
    int got = -1;
    bsp_hpput(next(), &source, x.data(), 0, bytes_of<int>());
    bsp_hpput(bsp_pid(), &source, x.data(), bytes_of<int>(), bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(x, (std::vector<int>{previous(), bsp_pid()}));
    bsp_hpget(bsp_pid(), x.data(), bytes_of<int>(), &got, bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(got, bsp_pid());
    bsp_hpget(next(), x.data(), bytes_of<int>(), &got, bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(got, next());
  });
}

TEST_P(BsplibTransfersOver, D2_hpput_of_much_takes_what_stands_there_at_the_sync) {
  run(2, [] {
    constexpr int count = 60'000;
    std::vector<int> x(2 * count, -1);
    bsp_push_reg(x.data(), bytes_of<int>(2 * count));
    bsp_sync();
    std::vector<int> source(count);
    for (int step = 1; step < 4; ++step) {
      std::iota(source.begin(), source.end(), step * 1000 + bsp_pid());
      bsp_hpput(next(), source.data(), x.data(), 0, bytes_of<int>(count));
      bsp_hpput(bsp_pid(), source.data(), x.data(), bytes_of<int>(count), bytes_of<int>(count));
      bsp_sync();
      for (int i = 0; i < count; i += 777) {
        ASSERT_EQ(x[static_cast<std::size_t>(i)], step * 1000 + previous() + i);
        ASSERT_EQ(x[static_cast<std::size_t>(count + i)], step * 1000 + bsp_pid() + i);
      }
    }
  });
}

TEST_P(BsplibTransfersOver, D2_no_bytes_do_nothing_whatever_else_is_wrong) {
  run(2, [] {
    int x = 3;
    for (const auto put : {bsp_put, bsp_hpput}) {
      put(99, nullptr, nullptr, -5, 0);
      put(-1, &x, &x, 0, 0);
      put(0, &x, &x, INT_MAX, 0);
    }
    for (const auto get : {bsp_get, bsp_hpget}) {
      get(99, nullptr, -5, nullptr, 0);
      get(-1, &x, 0, &x, 0);
      get(0, &x, INT_MAX, &x, 0);
    }
    bsp_sync();
    EXPECT_EQ(x, 3);
  });
}

TEST_P(BsplibTransfersOver, D3_of_overlapping_puts_the_highest_ranks_last_stays_byte_by_byte) {
  run(4, [] {
    std::vector<char> x(8, '.');
    bsp_push_reg(x.data(), 8);
    bsp_sync();
    const std::vector<char> first(3, static_cast<char>('a' + bsp_pid()));
    const std::vector<char> last(2, static_cast<char>('A' + bsp_pid()));
    bsp_put(0, first.data(), x.data(), bsp_pid(), 3);
    bsp_put(0, last.data(), x.data(), bsp_pid(), 2);
    bsp_sync();
    if (bsp_pid() == 0) {
      EXPECT_EQ(std::string(x.begin(), x.end()), "ABCDDd..");
    }
  });
}

TEST_P(BsplibTransfersOver, D3_is_the_same_in_every_repetition) {
  run(4, [] {
    int x = -1;
    bsp_push_reg(&x, bytes_of<int>());
    bsp_sync();
    for (int step = 0; step < 50; ++step) {
      for (int i = 0; i < 3; ++i) {
        const int value = 100 * step + 10 * bsp_pid() + i;
        bsp_put((step + 1) % 4, &value, &x, 0, bytes_of<int>());
      }
      bsp_sync();
      if (bsp_pid() == (step + 1) % 4) {
        EXPECT_EQ(x, 100 * step + 32);
      }
    }
  });
}

TEST_P(BsplibTransfersOver, D4_a_process_number_equal_to_their_number_aborts) {
  expect_refused_transfer([](auto& x) { bsp_put(2, x.data(), x.data(), 0, 4); },
                          {"bsp_put on rank 1 in superstep 1", "no process 2", "0 to 1"});
}

TEST_P(BsplibTransfersOver, D4_a_negative_process_number_aborts) {
  expect_refused_transfer([](auto& x) { bsp_get(-1, x.data(), 0, x.data(), 4); },
                          {"bsp_get on rank 1 in superstep 1", "no process -1"});
}

TEST_P(BsplibTransfersOver, D4_a_negative_offset_aborts) {
  expect_refused_transfer([](auto& x) { bsp_hpput(0, x.data(), x.data(), -4, 4); },
                          {"bsp_hpput on rank 1 in superstep 1", "4 bytes at offset -4"});
}

TEST_P(BsplibTransfersOver, D4_a_negative_size_aborts) {
  expect_refused_transfer([](auto& x) { bsp_hpget(0, x.data(), 0, x.data(), -4); },
                          {"bsp_hpget on rank 1 in superstep 1", "-4 bytes at offset 0"});
}

TEST_P(BsplibTransfersOver, D4_beyond_what_the_other_rank_registered_aborts_at_the_call) {
  expect_refused_transfer(
      [](auto& x) { bsp_put(0, x.data(), x.data(), 8, 4); },
      {"bsp_put on rank 1 in superstep 1", "4 bytes at offset 8", "rank 0 has registered 8 bytes"});
}

TEST_P(BsplibTransfersOver, D4_an_offset_and_size_whose_sum_overflows_abort) {
  expect_refused_transfer([](auto& x) { bsp_get(0, x.data(), INT_MAX, x.data(), INT_MAX); },
                          {"bsp_get on rank 1 in superstep 1", "2147483647 bytes at offset 2147483647"});
}

TEST_P(BsplibTransfersOver, D4_an_address_that_is_not_registered_aborts) {
  expect_refused_transfer([](auto& x) { bsp_put(0, x.data(), x.data() + 1, 0, 4); },
                          {"bsp_put on rank 1 in superstep 1", "not registered here"});
}

TEST_P(BsplibTransfersOver, D4_a_source_or_destination_of_null_aborts) {
  expect_refused_transfer([](auto& x) { bsp_put(0, nullptr, x.data(), 0, 4); },
                          {"bsp_put on rank 1 in superstep 1", "source is NULL"});
  expect_refused_transfer([](auto& x) { bsp_get(0, x.data(), 0, nullptr, 4); },
                          {"bsp_get on rank 1 in superstep 1", "destination is NULL"});
}

TEST_P(BsplibTransfersOver, S5_a_sync_on_one_rank_where_another_ends_aborts_both) {
  expect_failure(2,
                 [] {
                   bsp_sync();
                   if (bsp_pid() == 0) bsp_sync();
                 },
                 {"superstep 1", "rank 0 called bsp_sync", "rank 1 called bsp_end"});
}

TEST_P(BsplibTransfersOver, S4_abort_ends_all_ranks_with_its_message) {
  expect_failure(3,
                 [] {
                   bsp_sync();
                   if (bsp_pid() == 2) bsp_abort("pivot %d is %g\n", 3, 0.5);
                   bsp_sync();
                 },
                 {"bsp_abort on rank 2 in superstep 1: pivot 3 is 0.5"});
}

TEST_P(BsplibTransfersOver, direct_get_reads_own_memory_at_once) {
  run(2, [] {
    std::vector<int> x = {bsp_pid(), 10 + bsp_pid()};
    int got = -1;
    bsp_push_reg(x.data(), bytes_of<int>(2));
    bsp_sync();
    bsp_direct_get(bsp_pid(), x.data(), bytes_of<int>(), &got, bytes_of<int>());
    EXPECT_EQ(got, 10 + bsp_pid());
    bsp_direct_get(99, nullptr, -1, nullptr, 0);
    bsp_sync();
  });
}

TEST_P(BsplibTransfersOver, direct_get_of_what_it_cannot_read_is_refused) {
  expect_refused_transfer(
      [](std::vector<int>& x) { bsp_direct_get(0, x.data(), 0, x.data(), bytes_of<int>()); },
      {"bsp_direct_get on rank 1 in superstep 1: the memory of rank 0 cannot be read before the sync",
       "use bsp_get"});
  expect_refused_transfer(
      [](std::vector<int>& x) { bsp_direct_get(1, x.data(), 16, x.data(), bytes_of<int>()); },
      {"bsp_direct_get on rank 1 in superstep 1: 4 bytes at offset 16, but rank 1 has registered 16 bytes"});
  expect_refused_transfer([](std::vector<int>& x) { bsp_direct_get(1, x.data(), 0, x.data(), -4); },
                          {"bsp_direct_get on rank 1 in superstep 1: -4 bytes"});
  expect_refused_transfer([](std::vector<int>& x) { bsp_direct_get(2, x.data(), 0, x.data(), 4); },
                          {"bsp_direct_get on rank 1 in superstep 1: there is no process 2"});
}

}  // namespace
}  // namespace lbsp
