#include "transport/udp/driving/outcome.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Outcome::Place first_place{1, 4};

Outcome::Figures figures_of(std::uint64_t datagrams) {
  Outcome::Figures figures;
  figures.counters.datagrams_sent = datagrams;
  return figures;
}

std::exception_ptr what_went_wrong(const char* what) {
  return std::make_exception_ptr(std::runtime_error(what));
}

TEST(Outcome, of_a_call_is_taken_once) {
  Outcome outcome(first_place);
  EXPECT_FALSE(outcome.over());
  outcome.complete({Bytes(3)}, nullptr, first_place, figures_of(7));
  EXPECT_TRUE(outcome.over());
  const std::vector<Bytes> messages = outcome.take();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].size(), 3U);
  EXPECT_FALSE(outcome.over());
  EXPECT_EQ(outcome.get(&Outcome::Figures::counters).datagrams_sent, 7U);
}

TEST(Outcome, of_a_call_that_fails_is_its_error_and_the_next_call_may_succeed) {
  Outcome outcome(first_place);
  outcome.complete({}, what_went_wrong("lost"), first_place, {});
  EXPECT_THROW(outcome.throw_if_failed(), std::runtime_error);
  EXPECT_THROW(outcome.take(), std::runtime_error);
  EXPECT_NO_THROW(outcome.throw_if_failed());
  outcome.complete({}, nullptr, first_place, {});
  EXPECT_NO_THROW(outcome.take());
}

TEST(Outcome, shows_a_new_world_when_it_is_taken) {
  Outcome outcome(first_place);
  outcome.complete({}, nullptr, {0, 3}, {});
  EXPECT_EQ(outcome.rank(), 1);
  EXPECT_EQ(outcome.size(), 4);
  outcome.take();
  EXPECT_EQ(outcome.rank(), 0);
  EXPECT_EQ(outcome.size(), 3);
}

TEST(Outcome, of_every_call_is_what_has_ended_all) {
  Outcome outcome(first_place);
  outcome.break_by(what_went_wrong("no socket"));
  EXPECT_TRUE(outcome.over());
  EXPECT_TRUE(outcome.is_broken());
  EXPECT_TRUE(outcome.is_told()) << "nobody can be told any more";
  for (int call = 0; call < 2; ++call) {
    EXPECT_THROW(outcome.throw_if_failed(), std::runtime_error);
    EXPECT_THROW(outcome.take(), std::runtime_error);
  }
}

TEST(Outcome, that_was_there_before_all_ended_is_taken_first) {
  Outcome outcome(first_place);
  outcome.complete({Bytes(3)}, nullptr, first_place, {});
  outcome.break_by(what_went_wrong("no socket"));
  EXPECT_EQ(outcome.take().size(), 1U);
  EXPECT_THROW(outcome.take(), std::runtime_error);
}

TEST(Outcome, names_whom_a_call_awaits_until_it_is_over) {
  Outcome outcome(first_place);
  outcome.publish_awaited({2, 3});
  EXPECT_EQ(outcome.awaited(), (std::vector<Rank>{2, 3}));
  outcome.complete({}, nullptr, first_place, {});
  EXPECT_TRUE(outcome.awaited().empty());
}

TEST(Outcome, that_the_others_were_told_is_waited_for) {
  Outcome outcome(first_place);
  outcome.wait_until_told(1ms);
  EXPECT_FALSE(outcome.is_told());
  std::thread teller([&] { outcome.set_told(); });
  outcome.wait_until_told(60s);
  EXPECT_TRUE(outcome.is_told());
  teller.join();
}

}  // namespace
}  // namespace lbsp::transport
