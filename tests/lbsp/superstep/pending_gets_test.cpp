#include "lbsp/superstep/pending_gets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <vector>

#include "lbsp/superstep/messages/message_writer.hpp"
#include "tests/lbsp/superstep/messages/quiet_lending.hpp"
#include "transport/error.hpp"
#include "transport/message_storage.hpp"
#include "transport/process/address.hpp"

namespace lbsp::superstep {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Origin rank_1_asks{1, 7};

struct Asked {
  std::uint64_t offset;
  std::uint64_t bytes;
};

/// What rank 0 answers to gets from its only registration, which is `memory`.
Bytes answer_from(std::span<std::byte> memory, const std::vector<Asked>& gets, Offers* offers = nullptr,
                  std::span<const PendingGets> own = {}) {
  SlotTable slots(0, 2);
  const SlotNumber slot = slots.add({SlotKind::memory, 1, 0, memory, nullptr});
  transport::MessageBuffers buffers(1);
  MessageWriter writer(buffers, 0);
  for (const Asked& asked : gets)
    writer.get(slot, asked.offset, asked.bytes);
  const Bytes message = buffers.take(0, writer.finish(Ending::sync, rank_1_asks.superstep, {}));
  Offers none(nullptr, Offers::Leg::reply, 0, 2);
  return answer_gets(open_message(message, rank_1_asks), slots, 0, own, offers != nullptr ? *offers : none);
}

/// Offers 16 bytes or more by their addresses here.
class SameMemory final : public QuietLending {
 public:
  std::uint64_t offer(Rank, std::span<const std::byte> memory) override {
    return transport::address_of(memory.data());
  }
  void fetch(Rank, std::uint64_t address, std::span<std::byte> into) override {
    std::memcpy(into.data(), transport::memory_at(address), into.size());
  }
  void settle(Leg leg, std::span<const Rank> owners, std::span<const Rank> readers) override {
    EXPECT_EQ(leg, Leg::reply);
    told.assign(owners.begin(), owners.end());
    awaited.assign(readers.begin(), readers.end());
  }

  std::vector<Rank> told;
  std::vector<Rank> awaited;
};

TEST(PendingGets, of_much_are_offered_and_those_of_little_beside_them_sent) {
  std::vector<std::byte> memory(40);
  std::iota(reinterpret_cast<std::uint8_t*>(memory.data()),
            reinterpret_cast<std::uint8_t*>(memory.data()) + 40, std::uint8_t{1});
  SameMemory lending;
  Offers answering(&lending, Offers::Leg::reply, 0, 2);
  const Bytes reply = answer_from(memory, {{4, 20}, {30, 3}}, &answering);
  EXPECT_EQ(reply.size(), sizeof(ReplyHead) + 8 + 8 + 3);
  answering.settle();
  EXPECT_EQ(lending.awaited, std::vector<Rank>{1});

  std::vector<std::byte> large(20);
  std::vector<std::byte> small(3);
  PendingGets gets;
  gets.add(large, nullptr);
  gets.add(small, nullptr);
  Offers asking(&lending, Offers::Leg::reply, 0, 2);
  gets.fill(reply, rank_1_asks, asking);
  EXPECT_TRUE(std::ranges::equal(large, std::span(memory).subspan(4, 20)));
  EXPECT_TRUE(std::ranges::equal(small, std::span(memory).subspan(30, 3)));
  EXPECT_EQ(asking.fetched_bytes(), 20U);
  asking.settle();
  EXPECT_EQ(lending.told, std::vector<Rank>{1});
}

TEST(PendingGets, are_answered_with_a_copy_where_one_of_this_rank_s_own_is_filled) {
  std::vector<std::byte> memory(60);
  SameMemory lending;
  Offers offers(&lending, Offers::Leg::reply, 0, 2);
  std::vector<PendingGets> own(2);
  own[1].add(std::span(memory).subspan(20, 1), nullptr);
  EXPECT_EQ(answer_from(memory, {{0, 20}}, &offers, own).size(), sizeof(ReplyHead) + 8);
  EXPECT_EQ(answer_from(memory, {{1, 20}}, &offers, own).size(), sizeof(ReplyHead) + 20);
  EXPECT_EQ(answer_from(memory, {{20, 20}}, &offers, own).size(), sizeof(ReplyHead) + 20);
  EXPECT_EQ(answer_from(memory, {{21, 20}}, &offers, own).size(), sizeof(ReplyHead) + 8);
}

TEST(PendingGets, refuse_offers_that_are_cut_short_or_unknown) {
  std::vector<std::byte> memory(40);
  SameMemory lending;
  Offers offers(&lending, Offers::Leg::reply, 0, 2);
  const Bytes reply = answer_from(memory, {{4, 20}, {30, 3}}, &offers);
  const auto fill = [&](std::span<const std::byte> bytes) {
    std::vector<std::byte> into(23);
    PendingGets gets;
    gets.add(std::span(into).first(20), nullptr);
    gets.add(std::span(into).last(3), nullptr);
    gets.fill(bytes, rank_1_asks, offers);
  };
  EXPECT_NO_THROW(fill(reply));
  for (std::size_t length = 0; length < reply.size(); ++length) {
    const Bytes exact(reply.begin(), reply.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(fill(exact), Error);
  }
  Bytes longer = reply;
  longer.resize(reply.size() + 1);
  EXPECT_THROW(fill(longer), Error);
  Bytes other = reply;
  other[offsetof(ReplyHead, has_offers)] = std::byte{2};
  EXPECT_THROW(fill(other), Error);
}

TEST(PendingGets, refuse_a_reply_of_another_length_or_superstep) {
  std::vector<std::byte> into(8);
  PendingGets gets;
  gets.add(into, nullptr);
  Offers none(nullptr, Offers::Leg::reply, 0, 2);
  Bytes reply(sizeof(ReplyHead) + 8);
  std::ranges::fill(reply, std::byte{0});
  EXPECT_THROW(gets.fill(reply, rank_1_asks, none), Error);
  for (const ReplyHead& wrong : {ReplyHead{reply_magic, 0, 8}, ReplyHead{reply_magic + 1, 0, 7}}) {
    std::memcpy(reply.data(), &wrong, sizeof(wrong));
    EXPECT_THROW(gets.fill(reply, rank_1_asks, none), Error);
  }
  const ReplyHead head{reply_magic, 0, 7};
  std::memcpy(reply.data(), &head, sizeof(head));
  EXPECT_THROW(gets.fill(std::span(reply).first(reply.size() - 1), rank_1_asks, none), Error);
  EXPECT_NO_THROW(gets.fill(reply, rank_1_asks, none));
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
