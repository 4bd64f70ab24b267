#include "transport/messages/spare_payloads.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

constexpr std::size_t long_one = std::size_t{1} << 20;

TEST(SparePayloads, gives_memory_again_for_what_is_about_as_long) {
  SparePayloads spares;
  Bytes sent(long_one);
  const std::byte* const memory = sent.data();
  spares.give(std::move(sent));
  EXPECT_NE(spares.take(long_one / 2 - 1).data(), memory);
  EXPECT_NE(spares.take(long_one + 1).data(), memory);
  const Bytes taken = spares.take(long_one - 1);
  EXPECT_EQ(taken.data(), memory);
  EXPECT_EQ(taken.size(), long_one - 1);
  EXPECT_NE(spares.take(long_one).data(), memory);
}

TEST(SparePayloads, leaves_short_ones_to_the_allocator) {
  SparePayloads spares;
  spares.give(Bytes(SparePayloads::least_bytes));
  EXPECT_LT(spares.take(SparePayloads::least_bytes - 1).capacity(), SparePayloads::least_bytes);
  EXPECT_EQ(spares.take(0).size(), 0u);
}

TEST(SparePayloads, keeps_no_more_than_its_bound_and_lets_the_oldest_go) {
  SparePayloads spares;
  constexpr std::size_t part = SparePayloads::most_bytes / 4;
  Bytes oldest(part);
  Bytes newer(part);
  const std::byte* const kept = newer.data();
  spares.give(std::move(oldest));
  spares.give(std::move(newer));
  for (int i = 0; i < 3; ++i)
    spares.give(Bytes(part));
  std::vector<Bytes> taken;
  bool found = false;
  for (int i = 0; i < 4; ++i) {
    taken.push_back(spares.take(part));
    found = found || taken.back().data() == kept;
  }
  EXPECT_TRUE(found);
  spares.give(Bytes(SparePayloads::most_bytes + 1));
  EXPECT_EQ(spares.take(SparePayloads::most_bytes).capacity(), SparePayloads::most_bytes);
}

}  // namespace
}  // namespace lbsp::transport
