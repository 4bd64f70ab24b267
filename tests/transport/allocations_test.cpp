#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "tests/transport/start.hpp"
#include "transport/core/endpoint.hpp"

/// Who sends or takes a datagram asks for no memory: what comes and goes is kept in what is there already. A program of
/// its own, because it counts all that asks for memory.
namespace {

std::uint64_t allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  ++allocations;
  void* const memory = std::aligned_alloc(
      alignment, (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// A compiler that puts one of a pair in its place, and not the other, warns that they do not match.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Two endpoints that hand each other datagrams; of a hundred, so many get lost.
class DirectPair {
 public:
  explicit DirectPair(int lost_of_100) : lost_of_100_(lost_of_100) {
    ExchangeOptions options;
    options.rate = megabits_per_second(1e5);
    for (Rank rank = 0; rank < 2; ++rank)
      endpoints_.push_back(
          std::make_unique<Endpoint>(EndpointConfig{rank, 2, options, JobKey{}, fastest_cipher(), {}}, now_));
  }

  /// Returns how many times memory was asked for while datagrams were sent and taken.
  std::uint64_t superstep(std::size_t bytes) {
    for (Rank rank = 0; rank < 2; ++rank) {
      std::vector<Bytes> outgoing(2);
      outgoing[static_cast<std::size_t>(1 - rank)] = Bytes(bytes, static_cast<std::byte>(rank + 1));
      endpoint(rank).begin_exchange(std::move(outgoing), now_);
    }
    const std::uint64_t before = allocations;
    while (!endpoint(0).exchange_complete() || !endpoint(1).exchange_complete()) {
      const bool first = pass(0);
      const bool second = pass(1);
      if (!first && !second) now_ += 10us;
      for (Rank rank = 0; rank < 2; ++rank) {
        if (endpoint(rank).next_timeout() <= now_) endpoint(rank).handle_timeout(now_);
      }
    }
    const std::uint64_t asked = allocations - before;
    for (Rank rank = 0; rank < 2; ++rank) {
      const Bytes taken = std::move(endpoint(rank).take_messages()[static_cast<std::size_t>(1 - rank)]);
      EXPECT_EQ(taken, Bytes(bytes, static_cast<std::byte>(2 - rank)));
    }
    return asked;
  }

  std::uint64_t sent() {
    return endpoint(0).counters().datagrams_sent + endpoint(1).counters().datagrams_sent;
  }

 private:
  Endpoint& endpoint(Rank rank) { return *endpoints_[static_cast<std::size_t>(rank)]; }

  bool pass(Rank from) {
    const auto transmit = endpoint(from).poll_transmit(buffer_, now_);
    if (!transmit) return false;
    const bool lost = passed_++ * 37 % 100 < lost_of_100_;
    if (!lost) endpoint(transmit->to).handle_datagram(std::span(buffer_).first(transmit->bytes), now_);
    return true;
  }

  int lost_of_100_;
  int passed_ = 0;
  Instant now_ = start;
  std::array<std::byte, 65536> buffer_{};
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
};

/// How often memory is asked for in so many supersteps of 1 MiB each way, after as many that fill the queues.
struct Asked {
  std::uint64_t times = 0;
  std::uint64_t datagrams = 0;
};

constexpr int supersteps = 20;

Asked ask(DirectPair& pair) {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  for (int i = 0; i < supersteps; ++i)
    pair.superstep(bytes);
  Asked asked{.times = 0, .datagrams = pair.sent()};
  for (int i = 0; i < supersteps; ++i)
    asked.times += pair.superstep(bytes);
  asked.datagrams = pair.sent() - asked.datagrams;
  return asked;
}

/// The first segment of a message makes its place, and the table of its segments.
constexpr std::uint64_t for_messages = 2 * 2 * supersteps;

TEST(Allocations, a_datagram_asks_for_no_memory) {
  DirectPair pair(0);
  const Asked asked = ask(pair);
  EXPECT_GT(asked.datagrams, 1000u * supersteps);
  EXPECT_LE(asked.times, for_messages) << asked.datagrams << " datagrams";
}

TEST(Allocations, nor_does_one_that_is_lost_and_sent_again) {
  DirectPair pair(5);
  const Asked asked = ask(pair);
  EXPECT_GT(asked.datagrams, 1050u * supersteps);
  EXPECT_LE(asked.times, for_messages) << asked.datagrams << " datagrams";
}

}  // namespace
}  // namespace lbsp::transport
