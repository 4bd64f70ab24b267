#include "algorithms/blas_buffers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

using namespace std::chrono_literals;

/// A system with room for so many buffers. OpenBLAS takes one a while after a product has begun, and keeps it.
struct SystemWithRoom {
  explicit SystemWithRoom(int most) : left(most) {}

  /// By so many threads; returns the most that were under way at once.
  int multiply(int threads) {
    std::atomic<int> under_way = 0;
    std::atomic<int> most = 0;
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&] {
        for (int product = 0; product < 20; ++product) {
          const BlasBuffers::Use use(buffers);
          const int now = ++under_way;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          std::this_thread::sleep_for(1ms);
          take();
          std::this_thread::sleep_for(1ms);
          ++idle;
          --under_way;
        }
      });
    all.clear();
    return most;
  }
  void take() {
    for (int found = idle; found > 0;)
      if (idle.compare_exchange_weak(found, found - 1)) return;
    if (--left < 0) in_vain = true;
  }

  std::atomic<int> left;
  std::atomic<int> idle = 0;
  std::atomic<bool> in_vain = false;
  BlasBuffers buffers{[this](int more) { return left >= more; }};
};

TEST(BlasBuffers, of_many_threads_are_never_more_than_there_is_room_for) {
  for (int room = 1; room < 8; ++room) {
    SystemWithRoom system(room);
    EXPECT_LE(system.multiply(6), room);
    EXPECT_FALSE(system.in_vain) << room;
  }
}

TEST(BlasBuffers, with_enough_room_keep_nobody_waiting) {
  SystemWithRoom system(1000);
  int most = 0;
  // On a busy machine threads may happen to come one after the other.
  for (int times = 0; times < 100 && most < 4; ++times)
    most = std::max(most, system.multiply(4));
  EXPECT_EQ(most, 4);
}

TEST(BlasBuffers, without_room_for_one_are_an_error_and_not_waited_for) {
  SystemWithRoom system(0);
  EXPECT_THROW(const BlasBuffers::Use use(system.buffers), SystemError);
}

}  // namespace
}  // namespace lbsp::algorithms
