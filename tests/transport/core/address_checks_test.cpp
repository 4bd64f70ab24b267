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

TEST_F(AddressChecksTest, a_peer_that_answers_is_confirmed_once) {
  checks_.ask(1, true, start);
  EXPECT_TRUE(checks_.ready());
  const auto questions = said();
  ASSERT_EQ(questions.size(), 1U);
  EXPECT_EQ(questions[0].to, 1);
  EXPECT_FALSE(questions[0].header.answer);
  EXPECT_EQ(questions[0].whereto, Whereto::asked);
  EXPECT_FALSE(checks_.ready());
  EXPECT_TRUE(take(1, {true, questions[0].header.number}));
  EXPECT_THAT(checks_.take_confirmed(), ElementsAre(1));
  EXPECT_TRUE(take(1, {true, questions[0].header.number}));
  EXPECT_THAT(checks_.take_confirmed(), IsEmpty());
}

TEST_F(AddressChecksTest, an_answer_counts_for_the_peer_and_the_address_that_were_asked_last) {
  checks_.ask(1, true, start);
  const std::uint32_t first = said().at(0).header.number;
  EXPECT_TRUE(take(2, {true, first}));
  checks_.ask(1, true, start + 1s);
  const std::uint32_t second = said().at(0).header.number;
  EXPECT_NE(first, second);
  EXPECT_TRUE(take(1, {true, first}));
  EXPECT_THAT(checks_.take_confirmed(), IsEmpty());
  EXPECT_TRUE(take(1, {true, second}));
  EXPECT_THAT(checks_.take_confirmed(), ElementsAre(1));
}

TEST_F(AddressChecksTest, a_question_is_answered_where_it_came_from) {
  EXPECT_TRUE(take(2, {false, 77}));
  const auto answers = said();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].to, 2);
  EXPECT_TRUE(answers[0].header.answer);
  EXPECT_EQ(answers[0].header.number, 77U);
  EXPECT_EQ(answers[0].whereto, Whereto::newest);
}

TEST_F(AddressChecksTest, a_peer_is_both_asked_and_answered_and_so_is_another) {
  checks_.ask(1, true, start);
  take(1, {false, 77});
  take(2, {false, 78});
  const auto all = said();
  ASSERT_EQ(all.size(), 3U);
  for (const Said& one : all)
    EXPECT_EQ(one.header.answer, one.whereto == Whereto::newest);
  EXPECT_FALSE(checks_.ready());
}

/// Whoever copies each datagram from ever other addresses has few questions sent there.
TEST_F(AddressChecksTest, questions_are_asked_at_most_once_a_second_in_the_end) {
  std::vector<Duration> asked;
  for (Instant now = start; now < start + 4s; now += 1ms) {
    checks_.ask(1, true, now);
    for (std::size_t left = said(now).size(); left > 0; --left)
      asked.push_back(now - start);
  }
  EXPECT_THAT(asked, ElementsAre(0ms, 100ms, 300ms, 700ms, 1500ms, 2500ms, 3500ms));
}

TEST_F(AddressChecksTest, a_peer_that_has_answered_is_asked_at_once_when_it_moves_again) {
  for (const Duration at : {0ms, 100ms, 300ms}) {
    checks_.ask(1, true, start + at);
    said();
  }
  checks_.ask(1, true, start + 700ms);
  const std::uint32_t number = said().at(0).header.number;
  take(1, {true, number});
  checks_.ask(1, true, start + 701ms);
  EXPECT_NE(said().at(0).header.number, number);
  checks_.ask(1, false, start + 801ms);
  EXPECT_EQ(said().size(), 1U) << "after a tenth of a second again";
}

TEST_F(AddressChecksTest, a_question_that_is_lost_is_asked_again_soon_with_the_same_number) {
  checks_.ask(1, true, start);
  const std::uint32_t number = said().at(0).header.number;
  checks_.ask(1, false, start + 99ms);
  EXPECT_THAT(said(), IsEmpty());
  checks_.ask(1, false, start + 100ms);
  EXPECT_EQ(said().at(0).header.number, number);
}

/// What does not arrive where nobody is was not lost on the path.
TEST_F(AddressChecksTest, a_question_that_is_lost_is_no_loss_of_the_path) {
  checks_.ask(1, true, start);
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
