#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "lbsp/superstep/arrival.hpp"
#include "lbsp/superstep/message_reader.hpp"
#include "lbsp/superstep/message_writer.hpp"
#include "lbsp/superstep/pending_gets.hpp"
#include "lbsp/superstep/slot_table.hpp"
#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

using testing::HasSubstr;

constexpr Origin from_rank_1{1, 7};

std::vector<std::byte> text(const std::string& characters) {
  const auto bytes = std::as_bytes(std::span(characters));
  return {bytes.begin(), bytes.end()};
}

std::vector<Record> records_of(const Message& message) {
  std::vector<Record> records;
  auto reader = message.reader();
  Record record{};
  while (reader.next(record))
    records.push_back(record);
  return records;
}

bool equal(std::span<const std::byte> left, std::span<const std::byte> right) {
  return std::ranges::equal(left, right);
}

/// A writer with a buffer of its own.
class TestWriter {
 public:
  void put(std::uint32_t slot, std::uint64_t offset, std::span<const std::byte> data) {
    writer_.put(slot, offset, data);
  }
  void get(std::uint32_t slot, std::uint64_t offset, std::uint64_t bytes) {
    writer_.get(slot, offset, bytes);
  }
  void send(std::uint32_t slot, std::span<const std::byte> tag, std::span<const std::byte> values) {
    writer_.send(slot, tag, values);
  }
  void offer(std::uint32_t slot, std::uint64_t offset, std::uint64_t bytes, std::uint64_t address) {
    writer_.offer(slot, offset, bytes, address);
  }
  Bytes finish(Ending ending, std::uint64_t superstep, std::span<const LogEntry> log) {
    return buffers_.take(0, writer_.finish(ending, superstep, log));
  }
  void begin_in(Bytes buffer) {
    buffers_.give(0, std::move(buffer));
    writer_.start();
  }

 private:
  transport::MessageBuffers buffers_{1};
  MessageWriter writer_{buffers_, 0};
};

TEST(Message, reads_back_what_was_written_in_call_order) {
  TestWriter writer;
  writer.put(3, 5, text("abc"));
  writer.get(4, 6, 1000);
  writer.send(2, text("tag"), text("values"));
  writer.send(2, {}, {});
  writer.offer(5, 16, 70'000, 0x1234567890);
  writer.put(1, 0, text("xy"));
  const LogEntry entry{LogKind::registered, SlotKind::memory, 9, 8, 0, 80};
  const Bytes bytes = writer.finish(Ending::sync, 7, std::span(&entry, 1));

  const Message message = open_message(bytes, from_rank_1);
  EXPECT_EQ(message.head.asks, 1U);
  ASSERT_EQ(message.log.size(), 1U);
  EXPECT_EQ(message.log[0].bytes, 80U);
  const auto records = records_of(message);
  ASSERT_EQ(records.size(), 6U);
  EXPECT_EQ(records[0].slot, 3U);
  EXPECT_EQ(records[0].offset, 5U);
  EXPECT_TRUE(equal(records[0].data, text("abc")));
  EXPECT_EQ(records[1].kind, RecordKind::get);
  EXPECT_EQ(records[1].bytes, 1000U);
  EXPECT_TRUE(equal(records[2].tag, text("tag")));
  EXPECT_TRUE(equal(records[2].data, text("values")));
  EXPECT_TRUE(records[3].tag.empty() && records[3].data.empty());
  EXPECT_EQ(records[4].kind, RecordKind::offer);
  EXPECT_EQ(records[4].slot, 5U);
  EXPECT_EQ(records[4].offset, 16U);
  EXPECT_EQ(records[4].bytes, 70'000U);
  EXPECT_EQ(records[4].address, 0x1234567890U);
  EXPECT_TRUE(equal(records[5].data, text("xy")));
}

TEST(Message, padding_is_zero_in_a_buffer_that_was_used_before) {
  TestWriter writer;
  writer.begin_in(Bytes(1000, std::byte{0xff}));
  writer.put(1, 0, text("abc"));
  writer.send(2, text("t"), text("v"));
  writer.get(1, 0, 1);
  const LogEntry entry{LogKind::registered, SlotKind::memory, 9, 8, 0, 80};
  const Bytes bytes = writer.finish(Ending::sync, 7, std::span(&entry, 1));
  const auto is_zero = [&](std::size_t from, std::size_t to) {
    return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                       bytes.begin() + static_cast<std::ptrdiff_t>(to),
                       [](std::byte byte) { return byte == std::byte{0}; });
  };
  EXPECT_TRUE(is_zero(32 + 24 + 3, 64));  // behind the put
  EXPECT_TRUE(is_zero(64 + 24 + 1, 96));  // behind the tag
  EXPECT_TRUE(is_zero(96 + 1, 112));      // behind the values
  EXPECT_TRUE(is_zero(112 + 24, 144));    // behind the get
  EXPECT_EQ(bytes.size(), 144 + sizeof(LogEntry));
}

TEST(Message, joins_puts_that_continue_each_other_and_no_others) {
  TestWriter writer;
  writer.put(1, 0, text("ab"));
  writer.put(1, 2, text("cd"));
  writer.put(1, 3, text("e"));  // overlaps
  writer.put(2, 4, text("f"));  // continues, but elsewhere
  writer.get(2, 0, 1);
  writer.put(2, 5, text("g"));  // would continue, but after a get
  const Bytes bytes = writer.finish(Ending::sync, 7, {});
  const auto records = records_of(open_message(bytes, from_rank_1));
  ASSERT_EQ(records.size(), 5U);
  EXPECT_TRUE(equal(records[0].data, text("abcd")));
  EXPECT_TRUE(equal(records[1].data, text("e")));
  EXPECT_TRUE(equal(records[2].data, text("f")));
}

TEST(Message, of_nothing_is_its_head) {
  TestWriter writer;
  EXPECT_EQ(writer.finish(Ending::end, 0, {}).size(), sizeof(MessageHead));
}

TEST(Message, begins_anew_in_a_used_buffer) {
  TestWriter writer;
  writer.put(1, 0, text("ab"));
  writer.get(1, 0, 1);
  Bytes used = writer.finish(Ending::sync, 6, {});
  writer.begin_in(std::move(used));
  writer.put(1, 2, text("cd"));
  const Bytes bytes = writer.finish(Ending::sync, 7, {});
  const Message message = open_message(bytes, from_rank_1);
  EXPECT_EQ(message.head.asks, 0U);
  EXPECT_EQ(records_of(message).size(), 1U);
}

TEST(Message, of_another_superstep_or_version_or_length_is_refused) {
  TestWriter writer;
  writer.put(1, 0, text("abcdefgh"));
  const Bytes bytes = writer.finish(Ending::sync, 8, {});
  EXPECT_THROW(open_message(bytes, from_rank_1), Error);
  EXPECT_NO_THROW(open_message(bytes, {1, 8}));
  EXPECT_THROW(open_message(std::span(bytes).first(bytes.size() - 1), {1, 8}), Error);
  EXPECT_THROW(open_message(std::span(bytes).first(20), {1, 8}), Error);
  EXPECT_THROW(open_message({}, {1, 8}), Error);
  Bytes other = bytes;
  other[0] ^= std::byte{1};
  try {
    open_message(other, {1, 8});
    ADD_FAILURE() << "another version was opened";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the message of rank 1 in superstep 8 is malformed"));
  }
}

/// Whatever the address is, zeros are there.
class ZerosToFetch final : public transport::Lending {
 public:
  std::span<std::byte> room(Rank, std::size_t, std::size_t) override { return {}; }
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t>, bool) override {
    return {};
  }
  std::size_t least_offer(Rank) const override { return 16; }
  std::uint64_t offer(Rank, std::span<const std::byte>) override { return 1; }
  void fetch(Rank, std::uint64_t, std::span<std::byte> into) override {
    std::ranges::fill(into, std::byte{0});
  }
  void settle(Leg, std::span<const Rank>, std::span<const Rank>) override {}
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
