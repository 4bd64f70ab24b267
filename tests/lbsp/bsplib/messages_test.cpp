// M1 to M3 of BSPlib's semantics. The names begin with the line they are of.
#include <vector>

#include "tests/lbsp/bsplib/over_backends.hpp"

namespace lbsp {
namespace {

using test::bytes_of;
using test::messages;
using test::next;
using test::payload_bytes;
using test::set_tagsize;

class BsplibMessagesOver : public test::BsplibOver {};
LBSP_OVER_ALL_BACKENDS(BsplibMessagesOver);

TEST_P(BsplibMessagesOver, M1_the_tag_size_starts_at_0_and_changes_with_the_next_superstep) {
  run(2, [] {
    EXPECT_EQ(set_tagsize(4), 0);
    const int wrong = 9;
    bsp_send(next(), nullptr, &wrong, bytes_of<int>());  // still without a tag: NULL is fine
    bsp_sync();
    int status = -5;
    bsp_get_tag(&status, nullptr);
    EXPECT_EQ(status, 4);
    const int tag = 11 + bsp_pid();
    bsp_send(next(), &tag, nullptr, 0);
    bsp_sync();
    int got = -1;
    bsp_get_tag(&status, &got);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(got, 11 + next());
  });
}

TEST_P(BsplibMessagesOver, M1_queued_messages_keep_the_tag_size_they_were_sent_with) {
  run(2, [] {
    set_tagsize(4);
    bsp_sync();
    const std::int32_t tag = 0x01020304;
    set_tagsize(2);
    bsp_send(next(), &tag, nullptr, 0);  // four bytes
    bsp_sync();
    std::vector<unsigned char> got(8, 0xee);
    int status = -1;
    bsp_get_tag(&status, got.data());
    EXPECT_EQ(got, (std::vector<unsigned char>{4, 3, 2, 1, 0xee, 0xee, 0xee, 0xee}));
    const std::int16_t short_tag = 0x0506;
    bsp_send(next(), &short_tag, nullptr, 0);
    bsp_sync();
    got.assign(8, 0xee);
    bsp_get_tag(&status, got.data());
    EXPECT_EQ(got, (std::vector<unsigned char>{6, 5, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee}));
  });
}

TEST_P(BsplibMessagesOver, M1_different_tag_sizes_abort_at_the_sync) {
  expect_failure(2,
                 [] {
                   bsp_sync();
                   set_tagsize(bsp_pid() == 0 ? 4 : 8);
                   bsp_sync();
                 },
                 {"bsp_sync on rank", "in superstep 1", "rank 0 called bsp_set_tagsize with 4",
                  "rank 1 called bsp_set_tagsize with 8"});
}

TEST_P(BsplibMessagesOver, M1_different_numbers_of_settings_abort_at_the_sync) {
  expect_failure(2,
                 [] {
                   set_tagsize(4);
                   if (bsp_pid() == 1) set_tagsize(4);
                   bsp_sync();
                 },
                 {"bsp_sync on rank", "in superstep 0", "rank 1 called bsp_set_tagsize with 4"});
}

TEST_P(BsplibMessagesOver, M1_a_negative_size_or_null_aborts) {
  expect_refusal([] { set_tagsize(-1); }, {"bsp_set_tagsize on rank 1 in superstep 1", "-1 bytes"});
  expect_refusal([] { bsp_set_tagsize(nullptr); }, {"bsp_set_tagsize on rank 1 in superstep 1", "NULL"});
}

TEST_P(BsplibMessagesOver, M2_every_setting_gives_back_the_size_that_was_set_before) {
  run(2, [] {
    EXPECT_EQ(set_tagsize(10), 0);
    EXPECT_EQ(set_tagsize(2), 10);
    EXPECT_EQ(set_tagsize(4), 2);
    bsp_sync();
    EXPECT_EQ(set_tagsize(8), 4);
    bsp_sync();
    EXPECT_EQ(set_tagsize(0), 8);
    bsp_sync();
  });
}

TEST_P(BsplibMessagesOver, M2_setting_what_came_back_restores_the_size) {
  run(2, [] {
    int own = 4;
    bsp_set_tagsize(&own);
    bsp_sync();
    own = 0;
    bsp_set_tagsize(&own);
    int library = 8;
    bsp_set_tagsize(&library);  // a library's, called in between
    bsp_set_tagsize(&library);
    bsp_sync();
    EXPECT_EQ(set_tagsize(0), 0);
    bsp_sync();
  });
}

TEST_P(BsplibMessagesOver, M3_send_copies_tag_and_payload_at_the_call) {
  run(2, [] {
    set_tagsize(bytes_of<int>());
    bsp_sync();
    int tag = 1;
    int payload = 2;
    bsp_send(next(), &tag, &payload, bytes_of<int>());
    tag = payload = 99;
    bsp_sync();
    int status = 0;
    bsp_get_tag(&status, &tag);
    bsp_move(&payload, bytes_of<int>());
    EXPECT_EQ(tag, 1);
    EXPECT_EQ(payload, 2);
  });
}

TEST_P(BsplibMessagesOver, M3_no_tag_and_no_payload_are_still_a_message) {
  run(3, [] {
    bsp_send(next(), nullptr, nullptr, 0);
    bsp_send(next(), nullptr, nullptr, 0);
    bsp_send(bsp_pid(), nullptr, nullptr, 0);
    bsp_sync();
    EXPECT_EQ(messages(), 3);
    EXPECT_EQ(payload_bytes(), 0);
    for (int left = 3; left > 0; --left) {
      int status = -5;
      bsp_get_tag(&status, nullptr);
      EXPECT_EQ(status, 0);
      bsp_move(nullptr, 0);
      EXPECT_EQ(messages(), left - 1);
    }
  });
}

TEST_P(BsplibMessagesOver, M3_messages_come_by_source_then_in_the_order_of_the_calls) {
  run(3, [] {
    for (int i = 0; i < 3; ++i) {
      const int value = 10 * bsp_pid() + i;
      bsp_send(0, nullptr, &value, bytes_of<int>());
    }
    bsp_sync();
    std::vector<int> got;
    while (messages() > 0) {
      int value = -1;
      bsp_move(&value, bytes_of<int>());
      got.push_back(value);
    }
    if (bsp_pid() == 0) {
      EXPECT_EQ(got, (std::vector<int>{0, 1, 2, 10, 11, 12, 20, 21, 22}));
    }
  });
}

TEST_P(BsplibMessagesOver, M3_null_where_there_are_bytes_aborts) {
  expect_refusal([] { bsp_send(0, nullptr, nullptr, 1); },
                 {"bsp_send on rank 1 in superstep 1", "payload is NULL"});
  expect_failure(2,
                 [] {
                   set_tagsize(4);
                   bsp_sync();
                   bsp_hpsend(0, nullptr, nullptr, 0);
                 },
                 {"bsp_hpsend on rank", "in superstep 1", "tag is NULL"});
}

TEST_P(BsplibMessagesOver, M3_a_process_number_out_of_range_or_a_negative_size_aborts) {
  expect_refusal([] { bsp_send(2, nullptr, nullptr, 0); },
                 {"bsp_send on rank 1 in superstep 1", "no process 2"});
  expect_refusal([] { bsp_send(0, nullptr, nullptr, -3); },
                 {"bsp_send on rank 1 in superstep 1", "-3 bytes"});
}

}  // namespace
}  // namespace lbsp
