#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/lbsp/superstep/messages/test_writer.hpp"
#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

using testing::HasSubstr;

std::vector<Record> records_of(const Message& message) {
  std::vector<Record> records;
  auto reader = message.reader();
  Record record{};
  while (reader.next(record))
    records.push_back(record);
  return records;
}

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

}  // namespace
}  // namespace lbsp::superstep
