#include <atomic>
#include <exception>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tools/wan/bed/bed.hpp"

namespace lbsp::wan::bed {
namespace {

TEST(BedLock, is_held_by_one_at_a_time_though_each_holder_removes_the_empty_folder) {
  if (::geteuid() != 0) GTEST_SKIP() << "the beds' folder is root's";
  std::atomic<int> holders = 0;
  std::atomic<int> overlaps = 0;
  std::atomic<int> refused = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        try {
          const BedLock lock;
          if (++holders > 1) ++overlaps;
          --holders;
        } catch (const std::exception&) {
          ++refused;
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(overlaps, 0);
}

}  // namespace
}  // namespace lbsp::wan::bed
