#include "transport/fifo.hpp"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>

#include "transport/impairment/random.hpp"

namespace lbsp::transport {
namespace {

TEST(Fifo, is_a_deque_whatever_comes_and_goes) {
  Random random(7);
  Fifo<std::uint64_t> fifo;
  std::deque<std::uint64_t> deque;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t choice = random.next() % 64;
    // In turns it is to grow and to shrink.
    if (choice < (i / 1000 % 2 == 0 ? 36u : 26u)) {
      fifo.push_back(i);
      deque.push_back(i);
    } else if (choice < 62 && !deque.empty()) {
      ASSERT_EQ(fifo.pop_front(), deque.front());
      deque.pop_front();
    } else if (choice == 62 && !deque.empty()) {
      const auto place = static_cast<std::ptrdiff_t>(random.next() % deque.size());
      fifo.insert(fifo.begin() + place, i);
      deque.insert(deque.begin() + place, i);
    } else if (choice == 63) {
      const auto goes = [](std::uint64_t entry) { return entry % 16 == 0; };
      fifo.remove_if(goes);
      std::erase_if(deque, goes);
    }
    ASSERT_TRUE(std::ranges::equal(fifo, deque)) << "after " << i;
    if (deque.empty()) continue;
    ASSERT_EQ(fifo.back(), deque.back());
  }
}

TEST(Fifo, keeps_its_memory_while_entries_pass_through) {
  Fifo<int> fifo;
  for (int i = 0; i < 10; ++i)
    fifo.push_back(i);
  const int* first = &fifo[0];
  const int* last = first;
  for (int i = 10; i < 1000; ++i) {
    fifo.push_back(i);
    fifo.pop_front();
    first = std::min<const int*>(first, &fifo[0]);
    if (i > 100) last = std::max<const int*>(last, &fifo[fifo.size() - 1]);
    if (i == 100) first = last = &fifo[0];
  }
  EXPECT_LT(last - first, 64) << "places of ten entries at a time";
}

}  // namespace
}  // namespace lbsp::transport
