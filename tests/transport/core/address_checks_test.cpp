#include "transport/core/address_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"
#include "transport/wire/format.hpp"

/// Whether a peer is where its datagrams come from.
namespace lbsp::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace testing;

class AddressChecksTest : public ::testing::Test {
 protected:
  struct Said {
    Rank to;
    AddressHeader header;
    Whereto whereto;
  };
  std::vector<Said> said(Instant now = start) {
    std::vector<Said> list;
    Bytes buffer(1400);
    while (const auto written = checks_.next(buffer, now)) {
      const Opened opened = open(room_.state.config, std::span(buffer).first(written->bytes));
      EXPECT_EQ(opened.header.kind, DatagramKind::address);
      WireReader in = opened.reader();
      list.push_back({written->to, *read_address_header(in), written->whereto});
    }
    return list;
  }
  bool take(Rank from, AddressHeader header) {
    Bytes body(8);
    WireWriter out(body);
    write(out, header);
    WireReader in(std::span<const std::byte>(body).first(out.written()));
    return checks_.take(room_.state.peers[from], in);
  }

  RoomState<ReceiverDriven> room_{3};
  AddressChecks checks_{room_.state, room_.writer};
};

TEST_F(AddressChecksTest, a_peer_that_answers_is_told_of_once) {
  EXPECT_FALSE(checks_.asks(1));
  const auto number = checks_.ask(1, {}, start);
  ASSERT_TRUE(number);
  EXPECT_TRUE(checks_.asks(1));
  EXPECT_TRUE(checks_.ready());
  const auto questions = said();
  ASSERT_EQ(questions.size(), 1U);
  EXPECT_EQ(questions[0].to, 1);
  EXPECT_FALSE(questions[0].header.answer);
  EXPECT_EQ(questions[0].header.number, *number);
  EXPECT_EQ(questions[0].whereto, Whereto::asked);
  EXPECT_FALSE(checks_.ready());
  EXPECT_TRUE(take(1, {true, *number}));
  EXPECT_THAT(checks_.take_answers(), ElementsAre(AddressAnswer{1, *number}));
  EXPECT_FALSE(checks_.asks(1));
  EXPECT_TRUE(take(1, {true, *number}));
  EXPECT_THAT(checks_.take_answers(), IsEmpty());
}

/// Whoever copies from ever other addresses made each answer come too late: another question had been asked since.
TEST_F(AddressChecksTest, an_answer_to_any_of_the_last_questions_to_that_peer_counts) {
  const auto first = checks_.ask(1, {}, start);
  said();
  const auto second = checks_.ask(1, {}, start + 1s);
  said();
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  EXPECT_TRUE(take(2, {true, *first}));
  EXPECT_THAT(checks_.take_answers(), IsEmpty());
  EXPECT_TRUE(take(1, {true, *first}));
  EXPECT_THAT(checks_.take_answers(), ElementsAre(AddressAnswer{1, *first}));
}

TEST_F(AddressChecksTest, no_answer_counts_once_the_peer_was_heard_where_it_is_known_to_be) {
  const auto number = checks_.ask(1, {}, start);
  said();
  checks_.rest(1);
  EXPECT_FALSE(checks_.asks(1));
  EXPECT_TRUE(take(1, {true, *number}));
  EXPECT_THAT(checks_.take_answers(), IsEmpty());
}

/// The copy of a question may have come first, from elsewhere.
TEST_F(AddressChecksTest, a_question_is_answered_where_it_came_from_and_where_the_peer_is) {
  EXPECT_TRUE(take(2, {false, 77}));
  const auto answers = said();
  ASSERT_EQ(answers.size(), 2U);
  for (const Said& answer : answers) {
    EXPECT_EQ(answer.to, 2);
    EXPECT_TRUE(answer.header.answer);
    EXPECT_EQ(answer.header.number, 77U);
  }
  EXPECT_EQ(answers[0].whereto, Whereto::newest);
  EXPECT_EQ(answers[1].whereto, Whereto::known);
}

/// The peer's own datagrams are the copies where others are faster, and the newest where they are not.
TEST_F(AddressChecksTest, both_kinds_of_datagrams_are_asked_about_at_once) {
  for (const bool copy : {false, true}) {
    EXPECT_TRUE(checks_.ask(1, {.copy = copy}, start));
    EXPECT_EQ(said().size(), 1U);
    EXPECT_FALSE(checks_.ask(1, {.copy = copy, .anew = false}, start)) << "it has just been asked";
    EXPECT_TRUE(checks_.ask(1, {.copy = copy}, start));
    EXPECT_EQ(said().size(), 1U);
    EXPECT_FALSE(checks_.ask(1, {.copy = copy}, start));
  }
}

/// Whoever copies each datagram from few addresses has few questions sent there.
TEST_F(AddressChecksTest, questions_of_each_kind_are_asked_at_most_once_a_second_in_the_end) {
  for (const bool copy : {false, true}) {
    std::size_t questions = 0;
    for (Instant now = start; now < start + 30s; now += 1ms) {
      checks_.ask(1, {.copy = copy, .anew = false, .repeated = true}, now);
      questions += said(now).size();
      if (now == start + 1s) {
        EXPECT_EQ(questions, 9U);
      }
    }
    EXPECT_LE(questions, 38U);
    EXPECT_GE(questions, 36U);
  }
}

/// Whoever repeats datagrams from ever other addresses does not use up the questions to where the peer is.
TEST_F(AddressChecksTest, where_many_addresses_are_heard_those_are_asked_that_are_heard_often) {
  Instant now = start;
  for (; now < start + 30050ms; now += 1ms) {
    checks_.ask(1, {}, now);
    said(now);
  }
  const auto asked = [&] { return checks_.ask(1, {.anew = true, .repeated = true}, now).has_value(); };
  EXPECT_FALSE(checks_.ask(1, {}, now));
  EXPECT_TRUE(asked() || (now += 100ms, asked())) << "a tenth of a second after the last one";
}

TEST_F(AddressChecksTest, after_a_quiet_time_the_first_questions_are_asked_at_once_again) {
  Instant now = start;
  for (; now < start + 10s; now += 1ms) {
    checks_.ask(1, {.anew = false, .repeated = true}, now);
    said(now);
  }
  now += 10s;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(checks_.ask(1, {}, now));
    said(now);
  }
}

TEST_F(AddressChecksTest, a_question_that_is_lost_is_asked_again_soon) {
  EXPECT_TRUE(checks_.ask(1, {}, start));
  said();
  EXPECT_FALSE(checks_.ask(1, {.anew = false}, start + 99ms));
  EXPECT_TRUE(checks_.ask(1, {.anew = false}, start + 100ms));
  EXPECT_EQ(said().size(), 1U);
}

/// What does not arrive where nobody is was not lost on the path.
TEST_F(AddressChecksTest, a_question_that_is_lost_is_no_loss_of_the_path) {
  checks_.ask(1, {}, start);
  said();
  room_.begin_leg(100);
  const auto datagrams = room_.send();
  ASSERT_FALSE(datagrams.empty());
  EXPECT_EQ(datagrams[0].header.questions_before, 1);
}

TEST_F(AddressChecksTest, what_makes_no_sense_is_refused) {
  Bytes body(8, std::byte{2});
  WireReader in(body);
  EXPECT_FALSE(checks_.take(room_.state.peers[1], in));
  WireReader cut(std::span<const std::byte>(body).first(3));
  EXPECT_FALSE(checks_.take(room_.state.peers[1], cut));
  EXPECT_FALSE(checks_.ready());
}

}  // namespace
}  // namespace lbsp::transport
