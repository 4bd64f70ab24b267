#include "transport/message_storage.hpp"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "lbsp/superstep/messages/message_writer.hpp"

namespace lbsp::superstep {
namespace {

using transport::MessageBuffers;
using transport::MessageStorage;

constexpr std::size_t always_kept = 65'536;

/// How large the next room is after a buffer of that size has been given back, if the message before it had
/// `last` bytes.
std::size_t room_after(std::size_t given, std::size_t last) {
  MessageBuffers buffers(1);
  buffers.room(0, last, 0);
  buffers.take(0, last);
  buffers.give(0, Bytes(given));
  return buffers.room(0, 1, 0).size();
}

TEST(MessageBuffers, grow_to_twice_their_size_and_only_where_a_message_does_not_fit) {
  MessageBuffers buffers(1);
  EXPECT_EQ(buffers.room(0, 100, 0).size(), 100U);
  EXPECT_EQ(buffers.room(0, 100, 0).size(), 100U);
  EXPECT_EQ(buffers.room(0, 101, 0).size(), 200U);
  EXPECT_EQ(buffers.room(0, 1000, 0).size(), 1000U);
}

TEST(MessageBuffers, keep_what_is_written_when_they_grow) {
  MessageBuffers buffers(1);
  buffers.room(0, 2, 0)[1] = std::byte{7};
  EXPECT_EQ(buffers.room(0, 1000, 2)[1], std::byte{7});
}

TEST(MessageBuffers, keep_a_small_buffer_whatever_it_was_used_for) {
  EXPECT_EQ(room_after(always_kept, 1), always_kept);
  EXPECT_EQ(room_after(always_kept + 1, 1), 1U);
}

TEST(MessageBuffers, keep_a_large_buffer_of_up_to_four_times_the_last_message) {
  EXPECT_EQ(room_after(4 * always_kept, always_kept), 4 * always_kept);
  EXPECT_EQ(room_after(4 * always_kept + 1, always_kept), 1U);
}

TEST(MessageBuffers, use_the_whole_of_a_buffer_again_after_a_short_message) {
  MessageBuffers buffers(1);
  buffers.room(0, 1000, 0);
  Bytes message = buffers.take(0, 32);
  EXPECT_EQ(message.size(), 32U);
  buffers.give(0, std::move(message));
  EXPECT_EQ(buffers.room(0, 1, 0).size(), 1000U);
}

/// Has room for so many bytes at first, and counts how often it is asked for more.
class FixedRoom final : public MessageStorage {
 public:
  explicit FixedRoom(std::size_t bytes) : bytes_(bytes) {}

  std::span<std::byte> room(Rank, std::size_t bytes, std::size_t used) override {
    if (used > 0) ++asked_again;
    if (bytes > bytes_.size()) bytes_.resize(bytes);
    return bytes_;
  }

  int asked_again = 0;

 private:
  std::vector<std::byte> bytes_;
};

TEST(MessageWriter, asks_for_no_more_room_where_the_message_fits_exactly) {
  FixedRoom of_a_get(sizeof(MessageHead) + sizeof(RecordHead));
  MessageWriter(of_a_get, 0).get(0, 0, 1);
  EXPECT_EQ(of_a_get.asked_again, 0);

  const std::vector<std::byte> values(16);
  FixedRoom of_a_send(sizeof(MessageHead) + aligned(sizeof(RecordHead) + values.size()) + values.size());
  MessageWriter(of_a_send, 0).send(0, values, values);
  EXPECT_EQ(of_a_send.asked_again, 0);
}

TEST(MessageWriter, may_be_written_to_after_its_message_is_finished) {
  MessageBuffers buffers(1);
  MessageWriter writer(buffers, 0);
  const std::vector<std::byte> values(100);
  writer.put(1, 0, values);
  buffers.take(0, writer.finish(Ending::sync, 7, {}));
  writer.put(1, 100, std::span(values).first(1));  // as a program may after an error
  writer.send(1, values, values);
}

}  // namespace
}  // namespace lbsp::superstep
