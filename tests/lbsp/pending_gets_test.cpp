#include "lbsp/superstep/pending_gets.hpp"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "lbsp/superstep/message_storage.hpp"
#include "lbsp/superstep/message_writer.hpp"
#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Origin from_rank_1{1, 7};

struct Asked {
  std::uint64_t offset;
  std::uint64_t bytes;
};

/// What rank 0 answers to gets from its only registration, which is `memory`.
Bytes answer_from(std::span<std::byte> memory, const std::vector<Asked>& gets) {
  SlotTable slots(0, 2);
  const SlotNumber slot = slots.add({SlotKind::memory, 1, 0, memory, nullptr});
  MessageBuffers buffers(1);
  MessageWriter writer(buffers, 0);
  for (const Asked& asked : gets)
    writer.get(slot, asked.offset, asked.bytes);
  const Bytes message = buffers.take(0, writer.finish(Ending::sync, from_rank_1.superstep, {}));
  return answer_gets(open_message(message, from_rank_1), slots, 0);
}

TEST(PendingGets, refuse_a_reply_of_another_length_or_superstep) {
  std::vector<std::byte> into(8);
  PendingGets gets;
  gets.add(into, nullptr);
  Bytes reply(sizeof(ReplyHead) + 8);
  std::ranges::fill(reply, std::byte{0});
  EXPECT_THROW(gets.fill(reply, from_rank_1), Error);
  for (const ReplyHead& wrong : {ReplyHead{reply_magic, 0, 8}, ReplyHead{reply_magic + 1, 0, 7}}) {
    std::memcpy(reply.data(), &wrong, sizeof(wrong));
    EXPECT_THROW(gets.fill(reply, from_rank_1), Error);
  }
  const ReplyHead head{reply_magic, 0, 7};
  std::memcpy(reply.data(), &head, sizeof(head));
  EXPECT_THROW(gets.fill(std::span(reply).first(reply.size() - 1), from_rank_1), Error);
  EXPECT_NO_THROW(gets.fill(reply, from_rank_1));
  EXPECT_TRUE(gets.empty());
}

TEST(PendingGets, are_answered_in_their_order_and_with_nothing_where_they_ask_for_nothing) {
  std::vector<std::byte> memory{std::byte{1}, std::byte{2}, std::byte{3}};
  const Bytes reply = answer_from(memory, {{2, 1}, {3, 0}, {0, 2}});
  const std::vector<std::byte> values(reply.begin() + sizeof(ReplyHead), reply.end());
  EXPECT_EQ(values, (std::vector<std::byte>{std::byte{3}, std::byte{1}, std::byte{2}}));
}

TEST(PendingGets, of_more_bytes_than_can_be_counted_are_refused) {
  std::byte first{};
  const std::span<std::byte> huge(&first, most_bytes);  // of which nothing is read
  EXPECT_THAT(
      [&] {
        answer_from(huge, {{0, most_bytes}, {0, most_bytes}});
      },
      ThrowsMessage<MessageTooLarge>(HasSubstr("rank 1 asks for 18446744073709551615 bytes")));
}

}  // namespace
}  // namespace lbsp::superstep
