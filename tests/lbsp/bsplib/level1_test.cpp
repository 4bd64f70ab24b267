#include <numeric>
#include <vector>

#include "tests/lbsp/bsplib/over_backends.hpp"

namespace lbsp {
namespace {

using test::bytes_of;

class BsplibCollectivesOver : public test::BsplibOver {};
LBSP_OVER_ALL_BACKENDS(BsplibCollectivesOver);

/// Keeps the order of its operands: decimal digits, written behind each other.
void append_digit(void* result, void* left, void* right, int*) {
  const long l = *static_cast<long*>(left);
  const long r = *static_cast<long*>(right);
  *static_cast<long*>(result) = 10 * l + r;
}

TEST_P(BsplibCollectivesOver, bcast_brings_the_roots_values_to_all_small_and_large) {
  run(4, [] {
    for (const std::size_t count : {1U, 3U, 5000U}) {
      std::vector<int> source(count);
      std::iota(source.begin(), source.end(), 100 * bsp_pid());
      std::vector<int> got(count, -1);
      bsp_bcast(2, source.data(), got.data(), bytes_of<int>(count));
      std::vector<int> expected(count);
      std::iota(expected.begin(), expected.end(), 200);
      EXPECT_EQ(got, expected);
    }
  });
}

TEST_P(BsplibCollectivesOver, bcast_may_have_the_same_source_and_destination) {
  run(3, [] {
    for (const std::size_t count : {1U, 5000U}) {
      std::vector<int> x(count, bsp_pid());
      bsp_bcast(1, x.data(), x.data(), bytes_of<int>(count));
      EXPECT_EQ(x, std::vector<int>(count, 1));
    }
  });
}

TEST_P(BsplibCollectivesOver, gather_and_scatter_are_by_process) {
  run(3, [] {
    const bool root = bsp_pid() == 1;
    int mine = 5 + bsp_pid();
    std::vector<int> all(root ? 3 : 0, -1);
    bsp_gather(1, &mine, all.data(), bytes_of<int>());
    if (root) {
      EXPECT_EQ(all, (std::vector<int>{5, 6, 7}));
    }
    for (int& each : all)
      each *= 10;
    bsp_scatter(1, all.data(), &mine, bytes_of<int>());
    EXPECT_EQ(mine, 10 * (5 + bsp_pid()));
  });
}

TEST_P(BsplibCollectivesOver, fold_combines_from_the_left_on_all) {
  run(4, [] {
    long mine = bsp_pid() + 1;
    bsp_fold(append_digit, &mine, &mine, bytes_of<long>());
    EXPECT_EQ(mine, 1234);
  });
}

TEST_P(BsplibCollectivesOver, scan_combines_up_to_oneself) {
  run(4, [] {
    long mine = bsp_pid() + 1;
    long got = 0;
    bsp_scan(append_digit, &mine, &got, bytes_of<long>());
    const long expected[] = {1, 12, 123, 1234};
    EXPECT_EQ(got, expected[bsp_pid()]);
  });
}

TEST_P(BsplibCollectivesOver, no_bytes_are_no_error) {
  run(2, [] {
    bsp_bcast(0, nullptr, nullptr, 0);
    bsp_gather(0, nullptr, nullptr, 0);
    bsp_scatter(0, nullptr, nullptr, 0);
    bsp_fold(append_digit, nullptr, nullptr, 0);
    bsp_scan(append_digit, nullptr, nullptr, 0);
  });
}

TEST_P(BsplibCollectivesOver, different_roots_abort_at_the_sync) {
  expect_failure(2,
                 [] {
                   int x = 0;
                   bsp_bcast(bsp_pid(), &x, &x, bytes_of<int>());
                 },
                 {"bsp_bcast on rank", "in superstep 0", "to agree on"});
}

TEST_P(BsplibCollectivesOver, a_root_out_of_range_null_or_a_negative_size_aborts) {
  expect_refusal([] { bsp_bcast(2, nullptr, nullptr, 0); },
                 {"bsp_bcast on rank 1 in superstep 1", "no process 2"});
  expect_refusal([] { bsp_gather(0, nullptr, nullptr, 4); },
                 {"bsp_gather on rank 1 in superstep 1", "src is NULL"});
  expect_refusal([] { bsp_scatter(0, nullptr, nullptr, -4); },
                 {"bsp_scatter on rank 1 in superstep 1", "-4 bytes"});
  expect_refusal([] { bsp_fold(nullptr, nullptr, nullptr, 0); },
                 {"bsp_fold on rank 1 in superstep 1", "op is NULL"});
}

}  // namespace
}  // namespace lbsp
