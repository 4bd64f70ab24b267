#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sys/stat.h>
#include <vector>

#include "tests/transport/shared_memory/shared_memory_job.hpp"

/// Where long messages between ranks of a host lie: each behind the last one, in bounded memory.
namespace lbsp::transport::shared_memory {
namespace {

/// Sends the other of two ranks one message in a room that is asked for in steps, and returns where the other's is.
std::span<const std::byte> exchange_filled(Exchange& exchange, std::span<const std::size_t> steps,
                                           std::byte value) {
  Lending& lending = *exchange.lending();
  const Rank other = 1 - exchange.rank();
  std::size_t used = 0;
  for (const std::size_t bytes : steps) {
    const auto room = lending.room(other, bytes, used);
    std::fill(room.begin() + static_cast<std::ptrdiff_t>(used),
              room.begin() + static_cast<std::ptrdiff_t>(bytes), value);
    used = bytes;
  }
  const auto arrived = lending.exchange(std::vector<std::size_t>(2, used), false, [] {});
  return arrived[static_cast<std::size_t>(other)];
}

std::span<const std::byte> exchange_filled(Exchange& exchange, std::size_t bytes, std::byte value) {
  return exchange_filled(exchange, std::array{bytes}, value);
}

bool is_filled(std::span<const std::byte> message, std::size_t bytes, std::byte value) {
  return message.size() == bytes && std::ranges::count(message, value) == std::ssize(message);
}

TEST(LongMessages, lie_in_other_lines_than_the_last_ones_and_in_bounded_memory) {
  const Job job{.size = 2};
  const auto errors = run(job, [&job](Exchange& exchange) {
    constexpr std::size_t bytes = 64 << 10;
    std::set<const std::byte*> places;
    for (int step = 0; step < 500; ++step) {
      const auto message = exchange_filled(exchange, bytes, static_cast<std::byte>(step));
      ASSERT_TRUE(is_filled(message, bytes, static_cast<std::byte>(step)));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(message.data()) % 16, 0U);
      places.insert(message.data());
    }
    EXPECT_GE(places.size(), 8U) << "of two rooms";
    EXPECT_LE(places.size(), 64U);
    struct stat status {};
    ASSERT_EQ(::fstat(job.file.descriptor(), &status), 0);
    EXPECT_LE(status.st_blocks * 512, std::int64_t{9} << 20);
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(LongMessages, leave_short_ones_where_they_are) {
  const auto errors = run({.size = 2}, [](Exchange& exchange) {
    std::set<const std::byte*> places;
    for (int step = 0; step < 100; ++step)
      places.insert(exchange_filled(exchange, 4 << 10, static_cast<std::byte>(step)).data());
    EXPECT_EQ(places.size(), 2U);
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(LongMessages, keep_what_has_been_written_when_they_turn_out_longer) {
  const auto errors = run({.size = 2}, [](Exchange& exchange) {
    std::mt19937_64 random(7);  // the same on both ranks
    for (int step = 0; step < 400; ++step) {
      std::vector<std::size_t> steps;
      std::size_t bytes = 0;
      for (std::uint64_t more = 1 + random() % 4; more > 0; --more)
        steps.push_back(bytes += 1 + random() % (random() % 8 == 0 ? 1'500'000 : 60'000));
      const auto value = static_cast<std::byte>(step);
      ASSERT_TRUE(is_filled(exchange_filled(exchange, steps, value), bytes, value)) << step;
    }
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(LongMessages, fit_where_a_room_has_hardly_more_than_one) {
  Job job{.size = 2};
  job.geometry = Geometry::of(2, 100'000);
  job.file = SegmentFile::create(job.geometry);
  const auto errors = run(job, [](Exchange& exchange) {
    for (int step = 0; step < 50; ++step) {
      const auto value = static_cast<std::byte>(step);
      const std::size_t bytes = step % 3 == 0 ? 100'000 : 20'000;
      ASSERT_TRUE(is_filled(exchange_filled(exchange, bytes, value), bytes, value)) << step;
    }
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(LongMessages, are_not_read_where_the_other_rank_has_no_room) {
  const Job job{.size = 2};
  const SegmentMemory memory(job.file.again(), job.geometry, 0);
  const std::uint64_t all = job.geometry.room_bytes;
  EXPECT_NE(memory.find(1, Slot::odd, all - 4096, 4096), nullptr);
  EXPECT_EQ(memory.find(1, Slot::odd, all - 4096, 4097), nullptr);
  EXPECT_EQ(memory.find(1, Slot::odd, ~std::uint64_t{0} - 15, 32), nullptr);
  EXPECT_EQ(memory.find(1, Slot::odd, 8, 32), nullptr) << "nobody writes there";
}

}  // namespace
}  // namespace lbsp::transport::shared_memory
