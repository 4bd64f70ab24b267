#include "transport/paths/path_sizes.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"
#include "transport/peers/peer_path.hpp"

/// How long datagrams to a peer may be: what is asked, when, and what answers mean.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using Sizes = std::vector<std::size_t>;

constexpr Duration patience = 100ms;
constexpr std::size_t any = 65507;

TEST(PathSizes, asks_for_the_frequent_lengths_first) {
  PathSizes sizes(1200, 8972);
  EXPECT_EQ(sizes.search(start, patience, any), (Sizes{1200, 1200, 548, 1392, 1472, 8972}));
  EXPECT_EQ(PathSizes(1200, 1300).search(start, patience, any), (Sizes{1200, 1200, 548, 1300}))
      << "and for the ceiling";
}

TEST(PathSizes, asks_at_once_when_the_clock_begins) {
  EXPECT_FALSE(PathSizes(1200, 8972).search(Instant{}, patience, any).empty());
}

TEST(PathSizes, never_asks_for_more_than_the_ceiling_or_what_a_slow_path_makes_too_long) {
  EXPECT_EQ(PathSizes(1200, 1200).search(start, patience, any), Sizes{});
  EXPECT_EQ(PathSizes(1200, 8972).search(start, patience, 2000), (Sizes{1200, 1200, 548, 1392, 1472}));
  PathSizes sizes(1200, 8972);
  sizes.limit(1472);
  EXPECT_EQ(sizes.search(start, patience, any), (Sizes{1200, 1200, 548, 1392, 1472}));
}

TEST(PathSizes, the_first_answer_raises_the_length_in_use) {
  PathSizes sizes(1200, 8972);
  EXPECT_FALSE(sizes.answered(1472)) << "nobody asked";
  sizes.search(start, patience, any);
  EXPECT_TRUE(sizes.answered(1472));
  EXPECT_EQ(sizes.in_use(), 1472u);
  EXPECT_FALSE(sizes.answered(1472)) << "the second raises nothing";
  EXPECT_FALSE(sizes.answered(1392));
  EXPECT_EQ(sizes.in_use(), 1472u);
  EXPECT_TRUE(sizes.answered(8972));
  EXPECT_EQ(sizes.search(start + 1h, patience, any), Sizes{});
}

TEST(PathSizes, asks_three_times_then_rests_for_longer_and_longer) {
  PathSizes sizes(1200, 1472);
  EXPECT_EQ(sizes.search(start, patience, any).size(), 5u);
  sizes.arrived(1200);
  EXPECT_EQ(sizes.search(start + 99ms, patience, any).size(), 0u) << "answers are on their way";
  EXPECT_EQ(sizes.search(start + 100ms, patience, any).size(), 9u) << "now those between, too";
  EXPECT_EQ(sizes.search(start + 200ms, patience, any).size(), 9u);
  EXPECT_EQ(sizes.search(start + 5199ms, patience, any).size(), 0u);
  for (const Duration again : {5200ms, 5300ms, 5400ms})
    EXPECT_EQ(sizes.search(start + again, patience, any).empty(), false);
  EXPECT_EQ(sizes.search(start + 15'399ms, patience, any), Sizes{});
  Instant now = start + 15'400ms;
  int rounds = 0;
  for (const Instant end = now + 1h; now < end; now += 1s)
    rounds += sizes.search(now, patience, any).empty() ? 0 : 1;
  EXPECT_GE(rounds, 3 * 9);
  EXPECT_LE(rounds, 3 * 13) << "every ten minutes in the end";
}

TEST(PathSizes, a_base_is_doubtful_if_only_the_short_question_was_answered) {
  for (const bool base_answered : {false, true}) {
    PathSizes sizes(1200, 1472);
    EXPECT_FALSE(sizes.base_doubtful());
    sizes.search(start, patience, any);
    if (base_answered) sizes.answered(1200);
    sizes.answered(548);
    EXPECT_EQ(sizes.base_doubtful(), !base_answered);
    sizes.begin_trial(1200);
    EXPECT_FALSE(sizes.base_doubtful()) << "the trial decides";
  }
}

TEST(PathSizes, the_base_is_known_when_more_arrive_than_were_shorter) {
  PathSizes sizes(1200, 1472);
  sizes.arrived(2, 2);
  EXPECT_FALSE(sizes.base_known());
  sizes.arrived(3, 1);
  EXPECT_FALSE(sizes.base_known()) << "these three";
  sizes.arrived(4, 0);
  EXPECT_TRUE(sizes.base_known());
}

TEST(PathSizes, a_trial_has_its_answers_with_the_eighth_or_four_and_the_arrival_of_the_last_short_question) {
  PathSizes sizes(1472, 1472);
  sizes.begin_trial(1472);
  sizes.asked_on_trial(548, 9, Instant{});
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(sizes.has_answers(10));
    sizes.answered(548);
  }
  sizes.asked_on_trial(548, 10, Instant{});
  sizes.asked_on_trial(1472, 11, Instant{});
  EXPECT_FALSE(sizes.has_answers(10));
  EXPECT_TRUE(sizes.has_answers(11));
  sizes.asked_on_trial(548, 12, Instant{});
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(sizes.has_answers(12));
    sizes.answered(548);
  }
  EXPECT_TRUE(sizes.has_answers(12));
}

TEST(PathSizes, one_long_answer_acquits) {
  PathSizes sizes(1472, 1472);
  const Sizes questions = sizes.begin_trial(1472);
  EXPECT_EQ(std::ranges::count(questions, std::size_t{1472}), 12);
  EXPECT_EQ(std::ranges::count(questions, std::size_t{548}), 12);
  EXPECT_EQ(std::ranges::count(questions, std::size_t{1392}), 4);
  EXPECT_TRUE(sizes.on_trial());
  for (int i = 0; i < 12; ++i)
    EXPECT_FALSE(sizes.answered(548));
  EXPECT_TRUE(sizes.answered(1472));
  EXPECT_FALSE(sizes.on_trial());
  EXPECT_EQ(sizes.in_use(), 1472u);
}

TEST(PathSizes, eight_short_answers_and_no_long_one_prove_a_narrow_path) {
  PathSizes sizes(1472, 1472);
  sizes.begin_trial(1472);
  for (int i = 0; i < 7; ++i)
    sizes.answered(548);
  sizes.answered(1200);
  EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::not_proved);
  EXPECT_EQ(sizes.in_use(), 1472u);
  sizes.further_questions();
  sizes.answered(548);
  EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::narrow);
  EXPECT_EQ(sizes.in_use(), 1200u) << "the longest that was answered";
  EXPECT_FALSE(sizes.on_trial());
  EXPECT_EQ(sizes.search(start, patience, any), (Sizes{1232, 1252, 1372, 1392, 1432, 1444, 1452, 1464}))
      << "what lies between can be asked at once";
  EXPECT_TRUE(sizes.answered(1252));
}

TEST(PathSizes, three_trials_in_a_row_of_which_nothing_arrives_count_for_a_narrow_path) {
  PathSizes sizes(1472, 1472);
  const auto in_vain = [&] {
    sizes.begin_trial(1472);
    return sizes.judge(start);
  };
  for (const bool arrives : {true, false}) {
    EXPECT_EQ(in_vain(), PathSizes::Verdict::nothing_arrives);
    EXPECT_EQ(in_vain(), PathSizes::Verdict::nothing_arrives);
    EXPECT_EQ(sizes.in_use(), 1472u);
    if (arrives) sizes.arrived(1472);
  }
  EXPECT_EQ(in_vain(), PathSizes::Verdict::narrow);
  EXPECT_EQ(sizes.in_use(), 1232u);
  EXPECT_FALSE(sizes.on_trial());
  for (int i = 0; i < 2; ++i) {
    sizes.begin_trial(1232);
    EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::nothing_arrives);
  }
  sizes.begin_trial(1232);
  EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::narrow);
  EXPECT_EQ(sizes.in_use(), 548u);
}

TEST(PathSizes, what_lies_between_is_asked_for_up_to_what_was_too_long_three_times_in_all) {
  PathSizes sizes(1453, 1453);
  sizes.begin_trial(1453);
  for (int i = 0; i < 8; ++i)
    sizes.answered(548);
  sizes.answered(1200);
  EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::narrow);
  EXPECT_EQ(sizes.search(start, patience, any).back(), 1452u);
  EXPECT_EQ(sizes.search(start + 100ms, patience, any).back(), 1452u);
  EXPECT_EQ(sizes.search(start + 200ms, patience, any), Sizes{});
}

/// What these searches find where the path carries so much, each time in so many attempts; after a trial of the base.
std::size_t found_below_the_base(PathSizes& sizes, std::size_t carried, int attempts) {
  sizes.begin_trial(1200);
  for (int i = 0; i < 8; ++i)
    sizes.answered(548);
  sizes.judge(start);
  Instant now = start;
  for (int i = 0; i < attempts; ++i, now += patience) {
    for (const std::size_t size : sizes.search(now, patience, any))
      if (size <= carried) sizes.answered(size);
  }
  return sizes.in_use();
}

TEST(PathSizes, what_a_filter_lets_pass_between_548_and_the_base_is_found_in_two_attempts) {
  for (const std::size_t carried : {548U, 600U, 700U, 800U, 972U, 1100U, 1199U}) {
    PathSizes sizes(1200, 1472);
    const std::size_t found = found_below_the_base(sizes, carried, 2);
    EXPECT_LE(found, carried);
    EXPECT_GE(found, std::max<std::size_t>(548, carried * 12 / 13)) << carried;
    EXPECT_EQ(sizes.search(start + 2 * patience, patience, any), Sizes{})
        << carried << ": the rest is too little";
    const Sizes later = sizes.search(start + 2 * patience + 5s, patience, any);
    EXPECT_EQ(later, (Sizes{1200, 1392, 1472})) << "and the search goes on after a rest";
  }
}

TEST(PathSizes, between_usual_lengths_each_is_asked_for_twice_in_an_attempt) {
  PathSizes sizes(1200, 1472);
  EXPECT_EQ(found_below_the_base(sizes, 548, 0), 548U);
  EXPECT_EQ(sizes.search(start, patience, any), (Sizes{711, 874, 1037, 711, 874, 1037}));
  sizes.answered(874);
  EXPECT_EQ(sizes.search(start + patience, patience, any), (Sizes{914, 955, 996, 914, 955, 996}));
}

TEST(PathSizes, between_usual_lengths_none_is_asked_for_that_would_take_too_long) {
  PathSizes sizes(1200, 1472);
  EXPECT_EQ(found_below_the_base(sizes, 548, 0), 548U);
  EXPECT_EQ(sizes.search(start, patience, 900), (Sizes{711, 874, 711, 874}));
  sizes.answered(874);
  EXPECT_EQ(sizes.search(start + patience, patience, any), (Sizes{955, 1037, 1118, 955, 1037, 1118}));
}

TEST(PathSizes, goes_on_searching_after_a_trial_that_left_nothing_between) {
  PathSizes sizes(1472, 1472);
  sizes.begin_trial(1472);
  for (int i = 0; i < 8; ++i)
    sizes.answered(548);
  sizes.answered(1464);
  EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::narrow);
  EXPECT_EQ(sizes.search(start, patience, any), Sizes{});
  EXPECT_EQ(sizes.search(start + 5s, patience, any), Sizes{1472});
}

TEST(PathSizes, long_and_short_questions_take_turns_to_be_first) {
  PathSizes sizes(548, 548);
  const Sizes questions = sizes.begin_trial(548);
  ASSERT_EQ(questions.size(), 24u);
  EXPECT_EQ(Sizes(questions.begin(), questions.begin() + 8), (Sizes{548, 256, 256, 548, 548, 256, 256, 548}));
}

TEST(PathSizes, without_any_answer_nothing_is_proved) {
  PathSizes sizes(1472, 1472);
  sizes.begin_trial(1472);
  EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::nothing_arrives);
  EXPECT_FALSE(sizes.on_trial());
  EXPECT_EQ(sizes.in_use(), 1472u);
}

TEST(PathSizes, a_path_that_carries_almost_nothing_is_asked_with_the_shortest) {
  PathSizes sizes(1472, 1472);
  const Sizes questions = sizes.begin_trial(1472);
  for (int i = 0; i < std::ranges::count(questions, std::size_t{256}); ++i)
    sizes.answered(256);
  EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::not_proved);
  EXPECT_EQ(std::ranges::count(sizes.further_questions(), std::size_t{256}), 12);
  for (int i = 0; i < 8; ++i)
    sizes.answered(256);
  EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::narrow);
  EXPECT_EQ(sizes.in_use(), 256u);
}

TEST(PathSizes, what_the_system_refuses_is_tried_again_after_a_rest) {
  PathSizes sizes(1472, 1472);
  sizes.lower(1232, start);
  EXPECT_EQ(sizes.in_use(), 1232u);
  EXPECT_EQ(sizes.search(start + 4s, patience, any), Sizes{});
  EXPECT_EQ(sizes.search(start + 5s, patience, any), (Sizes{1392, 1472}));
  sizes.answered(1472);
  EXPECT_EQ(sizes.in_use(), 1472u);
}

TEST(PathSizes, what_the_peer_sends_no_longer_is_searched_for_at_once) {
  PathSizes sizes(1472, 1472);
  sizes.follow(1500, start);
  EXPECT_EQ(sizes.in_use(), 1472u);
  sizes.follow(1200, start);
  EXPECT_EQ(sizes.in_use(), 1200u);
  EXPECT_EQ(sizes.search(start, patience, any),
            (Sizes{1232, 1252, 1372, 1392, 1432, 1444, 1452, 1464, 1472}));
  EXPECT_EQ(sizes.search(start + patience, patience, any).size(), 9u);
  EXPECT_EQ(sizes.search(start + 2 * patience, patience, any), Sizes{}) << "it rests";
  EXPECT_EQ(sizes.search(start + 2 * patience + 5s, patience, any), (Sizes{1392, 1472}));
}

TEST(PeerPath, cuts_messages_of_32_long_segments_or_more_into_long_ones_and_all_where_hardly_any_is_lost) {
  PeerPath path{.sizes = PathSizes(8972, 8972)};
  const std::size_t longest = path.segment_bytes(0);
  EXPECT_EQ(path.segment_bytes_for(32 * longest, 0.1), longest);
  EXPECT_EQ(path.segment_bytes_for(31 * longest + 1, 0.1), longest);
  EXPECT_EQ(path.segment_bytes_for(31 * longest, 0.1), 1472 - data_overhead_bytes);
  EXPECT_EQ(path.segment_bytes_for(31 * longest, 0.004), longest);
}

}  // namespace
}  // namespace lbsp::transport
