#include <limits>
#include <numeric>
#include <vector>

#include "tests/lbsp/bsplib/over_backends.hpp"

namespace lbsp {
namespace {

using test::bytes_of;
using testing::HasSubstr;

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
                 {"bsp_bcast on rank", "in superstep 0", "called bsp_bcast (root 1, 4 bytes)"});
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

void add_doubles(double* result, double* left, double* right, int* bytes) {
  for (int i = 0; i < *bytes / bytes_of<double>(); ++i)
    result[i] = left[i] + right[i];
}

TEST_P(BsplibCollectivesOver, fold_and_scan_take_a_function_of_the_values_own_type) {
  run(3, [] {
    std::vector<double> x = {1.0 + bsp_pid(), 0.5};
    std::vector<double> sum(2);
    bsp_fold(add_doubles, x.data(), sum.data(), bytes_of<double>(2));
    EXPECT_EQ(sum, (std::vector<double>{6, 1.5}));
    bsp_scan(&add_doubles, x.data(), sum.data(), bytes_of<double>(2));
    EXPECT_EQ(sum[1], 0.5 * (bsp_pid() + 1));
  });
}

TEST_P(BsplibCollectivesOver, one_value_of_every_process_is_combined) {
  run(4, [] {
    const int me = bsp_pid();
    EXPECT_EQ(bsp_sumI(me + 1), 10);
    EXPECT_EQ(bsp_sumR(0.5F), 2.F);
    EXPECT_EQ(bsp_sumD(0.25 * me), 1.5);
    EXPECT_EQ(bsp_productI(me + 1), 24);
    EXPECT_EQ(bsp_productR(2), 16.F);
    EXPECT_EQ(bsp_productD(0.5), 0.0625);
    EXPECT_EQ(bsp_minI(me == 2 ? -7 : me), -7);
    EXPECT_EQ(bsp_minR(static_cast<float>(me)), 0.F);
    EXPECT_EQ(bsp_minD(-me), -3.);
    EXPECT_EQ(bsp_maxI(me == 1 ? 99 : -me), 99);
    EXPECT_EQ(bsp_maxR(static_cast<float>(me)), 3.F);
    EXPECT_EQ(bsp_maxD(-1. - me), -1.);
    EXPECT_EQ(bsp_all(me + 1), 1);
    EXPECT_EQ(bsp_all(me), 0);
    EXPECT_EQ(bsp_any(me == 3 ? 8 : 0), 1);
    EXPECT_EQ(bsp_any(0), 0);
  });
}

TEST_P(BsplibCollectivesOver, prefixes_combine_up_to_this_process) {
  run(4, [] {
    const int me = bsp_pid();
    const int triangle = (me + 1) * (me + 2) / 2;
    EXPECT_EQ(bsp_sumI_prefix(me + 1), triangle);
    EXPECT_EQ(bsp_sumR_prefix(static_cast<float>(me + 1)), static_cast<float>(triangle));
    EXPECT_EQ(bsp_sumD_prefix(me + 1), triangle);
    const int power = 1 << (me + 1);
    EXPECT_EQ(bsp_productI_prefix(2), power);
    EXPECT_EQ(bsp_productR_prefix(2), static_cast<float>(power));
    EXPECT_EQ(bsp_productD_prefix(2), power);
    EXPECT_EQ(bsp_minI_prefix(10 - me), 10 - me);
    EXPECT_EQ(bsp_minR_prefix(static_cast<float>(me)), 0.F);
    EXPECT_EQ(bsp_minD_prefix(me), 0.);
    EXPECT_EQ(bsp_maxI_prefix(me == 1 ? 5 : 0), me == 0 ? 0 : 5);
    EXPECT_EQ(bsp_maxR_prefix(static_cast<float>(me)), static_cast<float>(me));
    EXPECT_EQ(bsp_maxD_prefix(-me), 0.);
  });
}

TEST_P(BsplibCollectivesOver, sorting_leaves_the_i_th_least_with_process_i) {
  run(4, [] {
    const int me = bsp_pid();
    EXPECT_EQ(bsp_sortI((me * 3 + 1) % 4), me);
    EXPECT_EQ(bsp_sortR(static_cast<float>(3 - me)), static_cast<float>(me));
    EXPECT_EQ(bsp_sortD(-me), me - 3.);
    EXPECT_EQ(bsp_sortC("dacb"[me]), "abcd"[me]);
  });
}

TEST_P(BsplibCollectivesOver, sums_of_integers_wrap_around) {
  run(2, [] { EXPECT_EQ(bsp_sumI(std::numeric_limits<int>::max()), -2); });
}

class BsplibDisagreementOver : public test::BsplibOver {
 protected:
  /// The texts of those of two ranks that found it out themselves, one at least; who is told is told in fewer
  /// words.
  std::vector<std::string> found_out(const Body& body) const {
    auto texts = failures(2, body);
    std::erase_if(texts, [](const std::string& text) { return text.starts_with("rank "); });
    EXPECT_FALSE(texts.empty());
    return texts;
  }
  void expect_named(const Body& body, const std::vector<std::string>& parts) const {
    for (const std::string& text : found_out(body)) {
      for (const std::string& part : parts)
        EXPECT_THAT(text, HasSubstr(part));
    }
  }
};
LBSP_OVER_ALL_BACKENDS(BsplibDisagreementOver);

TEST_P(BsplibDisagreementOver, about_a_collective_names_both_calls) {
  expect_named(
      [] {
        int x = 1;
        if (bsp_pid() == 0) {
          bsp_bcast(0, &x, &x, bytes_of<int>());
        } else {
          bsp_gather(1, &x, &x, 0);
        }
      },
      {"called bsp_bcast (root 0, 4 bytes)", "called bsp_gather (root 1, 0 bytes)", "on every process"});
  expect_named(
      [] { bsp_pid() == 0 ? bsp_sumI(1) : bsp_maxI(1); },
      {"called bsp_sumI (4 bytes, by the function at 0x", "called bsp_maxI (4 bytes, by the function"});
}

TEST_P(BsplibDisagreementOver, about_the_function_of_a_fold_names_both) {
  for (const std::string& text : found_out([] {
         std::vector<double> x(2);
         if (bsp_pid() == 0) {
           bsp_fold(add_doubles, x.data(), x.data(), bytes_of<double>());
         } else {
           bsp_fold(append_digit, x.data(), x.data(), bytes_of<double>());
         }
       })) {
    EXPECT_THAT(text, testing::ContainsRegex(
                          "rank [01] called bsp_fold .8 bytes, by the function at 0x[0-9a-f]+ of "
                          "the program. where rank [01] called bsp_fold .8 bytes, by the function"));
  }
}

TEST_P(BsplibDisagreementOver, speaks_of_the_calls_of_c) {
  const auto expect_c = [&](const Body& body, const std::vector<std::string>& parts) {
    for (const std::string& text : found_out(body)) {
      for (const std::string& part : parts)
        EXPECT_THAT(text, HasSubstr(part));
      for (const char* const foreign : {"sync()", "World", "register and release", "registered memory"})
        EXPECT_THAT(text, testing::Not(HasSubstr(foreign)));
    }
  };
  static int x;
  expect_c(
      [] {
        if (bsp_pid() == 0) bsp_push_reg(&x, 4);
        bsp_sync();
      },
      {"bsp_sync on rank", "rank 0 called bsp_push_reg", "rank 1 made no such call"});
  expect_c(
      [] {
        int bytes = 4;
        bsp_pid() == 0 ? bsp_set_tagsize(&bytes) : bsp_push_reg(nullptr, 0);
        bsp_sync();
      },
      {"rank 0 called bsp_set_tagsize with 4", "rank 1 called bsp_push_reg"});
  expect_c(
      [] {
        int value = 1;
        if (bsp_pid() == 0) bsp_bcast(0, &value, &value, 4);
        bsp_sync();
      },
      {"called bsp_bcast (root 0, 4 bytes)", "made no such call"});
}

}  // namespace
}  // namespace lbsp
