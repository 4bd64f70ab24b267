#include <chrono>
#include <gtest/gtest.h>

#include "lbsp/job/messages.hpp"
#include "transport/error.hpp"

namespace lbsp::job {
namespace {

TEST(WelcomeToASurvivor, says_where_states_are_kept_whatever_bytes_the_names_have) {
  Welcome sent;
  sent.options.outlives_ranks = true;
  sent.survive = 3;
  sent.ranks_on_host = 5;
  sent.checkpoint = "/states \xff\n";
  sent.restart = "/before";
  sent.host_mtbf = std::chrono::hours{30};
  const auto got = from_payload<Welcome>(to_payload(sent));
  EXPECT_TRUE(got.options.outlives_ranks);
  EXPECT_EQ(got.survive, 3);
  EXPECT_EQ(got.ranks_on_host, 5);
  EXPECT_EQ(got.checkpoint, "/states \xff\n");
  EXPECT_EQ(got.restart, "/before");
  EXPECT_EQ(got.host_mtbf, std::chrono::hours{30});
}

TEST(WelcomeToASurvivor, whose_host_fails_all_the_time_is_refused) {
  Welcome sent;
  sent.host_mtbf = transport::Duration{0};
  EXPECT_THROW(from_payload<Welcome>(to_payload(sent)), Error);
}

TEST(WelcomeToASurvivor, of_more_hosts_lost_at_once_than_there_may_be_is_refused) {
  for (const int survive : {0, most_survived + 1}) {
    Welcome sent;
    sent.survive = survive;
    EXPECT_THROW(from_payload<Welcome>(to_payload(sent)), Error);
  }
}

TEST(RankThatGoesOn, tells_how_long_that_took_by_its_own_clock) {
  const auto got =
      from_payload<Resumed>(to_payload(Resumed{3, std::chrono::milliseconds{70}, std::chrono::seconds{2}}));
  EXPECT_EQ(got.epoch, 3U);
  EXPECT_EQ(got.after, std::chrono::milliseconds{70});
  EXPECT_EQ(got.waited, std::chrono::seconds{2});
  EXPECT_EQ(from_payload<Resumed>(to_payload(Resumed{3, {}})).waited, std::nullopt);
  EXPECT_THROW(from_payload<Resumed>("3"), Error);
}

TEST(RankThatGoesOn, is_told_of_the_process_that_has_a_slot_in_an_epoch) {
  const LossNotice sent{.slot = 7, .epoch = 3, .ended = true, .nobody_comes = true, .somebody_asks = true};
  EXPECT_EQ(from_payload<LossNotice>(to_payload(sent)), sent);
  EXPECT_THROW(from_payload<LossNotice>(
                   R"({"rank":-1,"epoch":3,"ended":true,"nobody_comes":false,"somebody_asks":false})"),
               Error);
  EXPECT_THROW(from_payload<LossNotice>(
                   R"({"rank":1,"epoch":3,"ended":1,"nobody_comes":false,"somebody_asks":false})"),
               Error);
}

}  // namespace
}  // namespace lbsp::job
