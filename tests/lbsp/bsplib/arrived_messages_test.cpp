// M4 and M5 of BSPlib's semantics: what a rank does with the messages that have come.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/lbsp/bsplib/over_backends.hpp"

namespace lbsp {
namespace {

using test::bytes_of;
using test::messages;
using test::next;
using test::payload_bytes;
using test::set_tagsize;

class BsplibArrivedMessagesOver : public test::BsplibOver {};
LBSP_OVER_ALL_BACKENDS(BsplibArrivedMessagesOver);

TEST_P(BsplibArrivedMessagesOver, M4_qsize_counts_what_is_left) {
  run(2, [] {
    const std::vector<char> data(100, 'x');
    for (const int bytes : {10, 0, 100})
      bsp_send(next(), nullptr, data.data(), bytes);
    bsp_sync();
    EXPECT_EQ(messages(), 3);
    EXPECT_EQ(payload_bytes(), 110);
    bsp_move(nullptr, 0);
    EXPECT_EQ(messages(), 2);
    EXPECT_EQ(payload_bytes(), 100);
    bsp_move(nullptr, 0);
    void* tag = nullptr;
    void* payload = nullptr;
    EXPECT_EQ(bsp_hpmove(&tag, &payload), 100);
    EXPECT_EQ(messages(), 0);
    EXPECT_EQ(payload_bytes(), 0);
  });
}

TEST_P(BsplibArrivedMessagesOver, M4_unread_messages_are_gone_after_the_next_sync_also_if_nobody_sends) {
  run(2, [] {
    const int value = 1;
    bsp_send(next(), nullptr, &value, bytes_of<int>());
    bsp_sync();
    EXPECT_EQ(messages(), 1);
    bsp_sync();
    EXPECT_EQ(messages(), 0);
    EXPECT_EQ(payload_bytes(), 0);
  });
}

TEST_P(BsplibArrivedMessagesOver, M4_qsize_takes_null_for_what_is_not_asked) {
  run(2, [] {
    bsp_send(next(), nullptr, "ab", 2);
    bsp_sync();
    int count = -1;
    int bytes = -1;
    bsp_qsize(&count, nullptr);
    bsp_qsize(nullptr, &bytes);
    bsp_qsize(nullptr, nullptr);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(bytes, 2);
  });
}

TEST_P(BsplibArrivedMessagesOver, M5_get_tag_of_an_empty_queue_is_minus_1_and_leaves_the_tag) {
  run(2, [] {
    set_tagsize(bytes_of<int>());
    bsp_sync();
    bsp_sync();
    int status = 5;
    int tag = 42;
    bsp_get_tag(&status, &tag);
    EXPECT_EQ(status, -1);
    EXPECT_EQ(tag, 42);
  });
}

TEST_P(BsplibArrivedMessagesOver, M5_get_tag_does_not_remove_the_message) {
  run(2, [] {
    bsp_send(next(), nullptr, "abc", 3);
    bsp_sync();
    int status = 0;
    bsp_get_tag(&status, nullptr);
    bsp_get_tag(&status, nullptr);
    EXPECT_EQ(status, 3);
    EXPECT_EQ(messages(), 1);
  });
}

TEST_P(BsplibArrivedMessagesOver, M5_move_copies_no_more_than_there_is_and_no_more_than_asked) {
  run(2, [] {
    bsp_send(next(), nullptr, "abcdef", 6);
    bsp_send(next(), nullptr, "uvwxyz", 6);
    bsp_sync();
    std::string buffer = "........";
    bsp_move(buffer.data(), 8);
    EXPECT_EQ(buffer, "abcdef..");
    buffer = "........";
    bsp_move(buffer.data(), 2);
    EXPECT_EQ(buffer, "uv......");
    EXPECT_EQ(messages(), 0);
  });
}

TEST_P(BsplibArrivedMessagesOver, M5_move_aborts_on_an_empty_queue) {
  expect_refusal(
      [] {
        char byte = 0;
        bsp_move(&byte, 1);
      },
      {"bsp_move on rank 1 in superstep 1", "the queue is empty"});
}

TEST_P(BsplibArrivedMessagesOver, M5_move_aborts_on_a_negative_size_and_on_null) {
  expect_refusal([] { bsp_move(nullptr, -1); }, {"bsp_move on rank 1 in superstep 1", "-1 bytes"});
  expect_failure(2,
                 [] {
                   bsp_send(next(), nullptr, "ab", 2);
                   bsp_sync();
                   bsp_move(nullptr, 2);
                 },
                 {"bsp_move on rank", "in superstep 1", "NULL"});
}

TEST_P(BsplibArrivedMessagesOver, M5_hpmove_points_to_memory_aligned_for_any_type_until_the_next_sync) {
  run(2, [] {
    for (const int tag_bytes : {0, 1, 4, 16, 40}) {
      set_tagsize(tag_bytes);
      bsp_sync();
      std::vector<char> tag(static_cast<std::size_t>(tag_bytes), 't');
      for (int bytes = 0; bytes < 40; bytes += 3) {
        const std::vector<char> payload(static_cast<std::size_t>(bytes), static_cast<char>(bytes));
        bsp_send(next(), tag.data(), payload.data(), bytes);
      }
      bsp_sync();
      std::vector<std::pair<void*, void*>> views;
      for (int bytes = 0; bytes < 40; bytes += 3) {
        void* tag_at = nullptr;
        void* payload_at = nullptr;
        EXPECT_EQ(bsp_hpmove(&tag_at, &payload_at), bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tag_at) % alignof(std::max_align_t), 0U);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(payload_at) % alignof(std::max_align_t), 0U);
        views.emplace_back(tag_at, payload_at);
      }
      for (std::size_t i = 0; i < views.size(); ++i) {
        const std::vector<char> payload(3 * i, static_cast<char>(3 * i));
        EXPECT_TRUE(std::equal(tag.begin(), tag.end(), static_cast<const char*>(views[i].first)));
        EXPECT_EQ(payload.empty() ? 0 : std::memcmp(views[i].second, payload.data(), payload.size()), 0);
      }
      void* nothing = nullptr;
      EXPECT_EQ(bsp_hpmove(&nothing, &nothing), -1);
    }
  });
}

TEST_P(BsplibArrivedMessagesOver, M5_hpmove_and_get_tag_abort_on_null) {
  expect_refusal([] { bsp_hpmove(nullptr, nullptr); }, {"bsp_hpmove on rank 1 in superstep 1", "NULL"});
  expect_refusal([] { bsp_get_tag(nullptr, nullptr); }, {"bsp_get_tag on rank 1 in superstep 1", "NULL"});
}

}  // namespace
}  // namespace lbsp
