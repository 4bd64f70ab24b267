#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "lbsp/superstep/agreement/slot_table.hpp"
#include "lbsp/superstep/arrival.hpp"
#include "lbsp/superstep/pending_gets.hpp"
#include "tests/lbsp/superstep/messages/quiet_lending.hpp"
#include "tests/lbsp/superstep/messages/test_writer.hpp"
#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

/// Whatever the address is, zeros are there.
class ZerosToFetch final : public QuietLending {
 public:
  void fetch(Rank, std::uint64_t, std::span<std::byte> into) override {
    std::ranges::fill(into, std::byte{0});
  }
};

/// Rank 0 of 2 with some registrations, as messages of rank 1 meet them.
class MutatedMessages : public testing::Test {
 protected:
  MutatedMessages() {
    slots_.add({SlotKind::memory, 1, 0, std::span(memory_), nullptr});
    slots_.add({SlotKind::queue, 4, 2, {}, nullptr});
    slots_.add({SlotKind::queue, 1, any_tag, {}, nullptr});
    slots_.close_superstep();
  }

  Bytes valid_message(std::mt19937_64& random) {
    TestWriter writer;
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    for (std::size_t i = below(12); i != 0; --i) {
      switch (below(5)) {
        case 4:
          writer.offer(0, below(32), below(32), random());
          break;
        case 0:
          writer.put(0, below(32), std::vector<std::byte>(1 + below(32)));
          break;
        case 1:
          writer.get(0, below(32), below(32));
          break;
        case 2:
          writer.send(1, text("ab"), std::vector<std::byte>(4 * below(9)));
          break;
        default:
          writer.send(2, std::vector<std::byte>(below(20)), std::vector<std::byte>(below(20)));
      }
    }
    const std::vector<LogEntry> log(below(3), {LogKind::agreed, SlotKind::memory, 0, 0, 1, 0});
    return writer.finish(Ending::sync, 7, log);
  }

  static void mutate(Bytes& bytes, std::mt19937_64& random) {
    static constexpr std::uint64_t nasty[] = {
        0, 1, 2, 15, 16, 17, 0x7fffffff, 0xffffffff, ~0ULL, ~0ULL - 7, 1ULL << 63, 1ULL << 32};
    for (std::uint64_t count = 1 + random() % 3; count != 0; --count) {
      const std::size_t place = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[place] ^= static_cast<std::byte>(1U << random() % 8);
          break;
        case 1:
          bytes[place] = static_cast<std::byte>(random());
          break;
        case 2: {
          const std::uint64_t value = nasty[random() % std::size(nasty)];
          const std::size_t at = place / 8 * 8;
          std::memcpy(bytes.data() + at, &value, std::min(sizeof(value), bytes.size() - at));
          break;
        }
        default:
          bytes.resize(place + 1);
      }
    }
  }

  /// Reads the message as a sync does. An error is a good end; anything else is for the sanitizers to see.
  bool taken(std::span<const std::byte> bytes) {
    slots_.forget_received();
    slots_.close_superstep();
    try {
      const Message message = open_message(bytes, from_rank_1);
      slots_.compare(message.log, 1, 7);
      answer_gets(message, slots_, 0, {}, offers_);
      deliver(message, slots_, 0, offers_);
    } catch (const Error&) {
      return false;
    }
    offers_.settle();
    std::size_t sum = 0;
    for (const SlotNumber queue : {1U, 2U}) {
      for (const Received& received : slots_[queue].received) {
        for (const std::byte value : received.values)
          sum += static_cast<std::size_t>(value);
        for (const std::byte value : received.tag)
          sum += static_cast<std::size_t>(value);
      }
    }
    return sum < ~std::size_t{0};
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(64);
  SlotTable slots_{0, 2};
  ZerosToFetch zeros_;
  Offers offers_{&zeros_, Offers::Leg::first, 0, 2};
};

TEST_F(MutatedMessages, are_refused_or_harmless) {
  std::mt19937_64 random(20240607);
  int refused = 0;
  int harmless = 0;
  for (int i = 0; i < 60'000; ++i) {
    Bytes bytes = valid_message(random);
    mutate(bytes, random);
    // A buffer of the exact size, so that the address sanitizer sees the first byte beyond it.
    const Bytes exact(bytes.begin(), bytes.end());
    ++(taken(exact) ? harmless : refused);
  }
  EXPECT_GT(refused, 10'000);
  EXPECT_GT(harmless, 1'000);
}

TEST_F(MutatedMessages, are_taken_unmutated_when_they_fit) {
  TestWriter writer;
  writer.put(0, 60, text("last"));
  writer.get(0, 0, 64);
  writer.send(1, text("ab"), text("1234"));
  EXPECT_TRUE(taken(writer.finish(Ending::sync, 7, {})));
  EXPECT_TRUE(equal(std::span(memory_).last(4), text("last")));
}

TEST_F(MutatedMessages, that_name_the_wrong_registration_or_sizes_are_refused) {
  const auto refused = [&](auto write) {
    TestWriter writer;
    write(writer);
    return !taken(writer.finish(Ending::sync, 7, {}));
  };
  EXPECT_TRUE(refused([](auto& writer) { writer.put(3, 0, text("a")); }));
  EXPECT_TRUE(refused([](auto& writer) { writer.put(1, 0, text("a")); }));
  EXPECT_TRUE(refused([](auto& writer) { writer.put(0, 64, text("a")); }));
  EXPECT_TRUE(refused([](auto& writer) { writer.put(0, ~std::uint64_t{0}, text("ab")); }));
  EXPECT_TRUE(refused([](auto& writer) { writer.get(0, 1, 64); }));
  EXPECT_TRUE(refused([](auto& writer) { writer.get(0, 1, ~std::uint64_t{0}); }));
  EXPECT_TRUE(refused([](auto& writer) { writer.send(0, text("ab"), text("1234")); }));
  EXPECT_TRUE(refused([](auto& writer) { writer.send(1, text("abc"), text("1234")); }));
  EXPECT_TRUE(refused([](auto& writer) { writer.send(1, text("ab"), text("12345")); }));
}

}  // namespace
}  // namespace lbsp::superstep
