#include "lbsp/checkpoint/store.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <string_view>

#include "lbsp/checkpoint/recovery.hpp"
#include "transport/error.hpp"

namespace lbsp::checkpoint {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Ranks that do their supersteps in step with each other.
class Stores : public ::testing::Test {
 protected:
  explicit Stores(Rank size = 4, int survive = 1) : stores(static_cast<std::size_t>(size)) {
    begin_world(all(size), survive);
  }

  static std::vector<Rank> all(Rank size) {
    std::vector<Rank> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), Rank{0});
    return ranks;
  }
  void begin_world(const std::vector<Rank>& those, int survive = 1) {
    members = those;
    for (Rank rank = 0; rank < static_cast<Rank>(members.size()); ++rank)
      at(rank).begin_world(rank, {.epoch = worlds, .members = members}, {}, survive);
    ++worlds;
  }
  Store& at(Rank rank) { return stores[static_cast<std::size_t>(members[static_cast<std::size_t>(rank)])]; }
  Rank size() const { return static_cast<Rank>(members.size()); }

  void save(std::uint64_t number, bool elsewhere = true) {
    for (Rank rank = 0; rank < size(); ++rank)
      at(rank).save(number, bytes_of("state " + std::to_string(number) + " of " + std::to_string(rank)),
                    elsewhere);
  }
  std::string own(Rank rank) {
    const Image& image = at(rank).base()->own;
    return {reinterpret_cast<const char*>(image.bytes.data()), image.length};
  }
  /// A superstep that so many of the ranks complete. Returns what rank 0 can go on from then.
  std::optional<std::uint64_t> superstep(Rank those = 1000) {
    for (Rank from = 0; from < size(); ++from) {
      for (auto& [keeper, piece] : at(from).to_send())
        if (keeper < those) at(keeper).take(std::move(piece));
    }
    std::optional<std::uint64_t> first;
    for (Rank rank = 0; rank < std::min(size(), those); ++rank) {
      const auto held = at(rank).superstep_completed();
      if (rank == 0) first = held;
    }
    return first;
  }
  void lose_rank_3_after_state_10() {
    save(10);
    superstep();
    superstep();
    for (const Rank rank : {0, 1, 2})
      at(rank).change_to(1);
    begin_world({0, 1, 2});
  }
  std::string restored(Rank lost, const std::vector<Rank>& left) {
    const Checkpoint& base = *at(0).base();
    const Recovery recovery(base, left);
    std::vector<Piece> pieces;
    for (const auto& source : recovery.sources(lost)) {
      const Store& keeper = stores[static_cast<std::size_t>(left[static_cast<std::size_t>(source.rank)])];
      for (const Piece& piece : keeper.base()->pieces)
        if (piece.head.of == static_cast<std::uint32_t>(lost) && piece.head.index == source.index)
          pieces.push_back(piece);
    }
    const Bytes bytes = join(std::move(pieces), base.layout.needed());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::vector<Store> stores;
  std::vector<Rank> members;
  std::uint32_t worlds = 0;
};

TEST_F(Stores, can_be_gone_on_from_when_the_superstep_after_is_complete) {
  save(10);
  EXPECT_EQ(superstep(), std::uint64_t{1});
  EXPECT_EQ(superstep(), std::nullopt);
}

TEST_F(Stores, have_another_checkpoint_when_all_are_known_to_have_the_one_before) {
  EXPECT_TRUE(at(0).due());
  save(10);
  EXPECT_FALSE(at(0).due());
  EXPECT_THROW(save(11), UsageError);
  superstep();
  EXPECT_FALSE(at(0).due());
  superstep();
  EXPECT_TRUE(at(0).due());
  save(20);
  EXPECT_EQ(superstep(), std::uint64_t{2});
}

TEST_F(Stores, hold_an_early_checkpoint_when_its_pieces_have_been_taken) {
  save(10);
  for (Rank rank = 0; rank < size(); ++rank)
    at(rank).sent_early(7);
  for (std::uint64_t number = 4; number < 7; ++number) {
    EXPECT_FALSE(at(0).awaits_early(number));
    EXPECT_FALSE(at(0).begins());
    EXPECT_EQ(at(0).superstep_completed(), std::nullopt);
    EXPECT_FALSE(at(0).due());
  }
  EXPECT_TRUE(at(0).awaits_early(7));
  EXPECT_EQ(at(0).sources(), (std::vector<Rank>{1, 2, 3}));
  EXPECT_EQ(at(0).early_taken(), 1U);
  EXPECT_FALSE(at(0).awaits_early(7));
  EXPECT_FALSE(at(0).due());
  EXPECT_EQ(at(0).superstep_completed(), std::nullopt);
  EXPECT_TRUE(at(0).due());
  EXPECT_EQ(at(0).base()->number, 10U);
}

TEST_F(Stores, send_early_pieces_anew_that_nobody_took) {
  save(10);
  at(0).sent_early(7);
  EXPECT_FALSE(at(0).begins());
  EXPECT_FALSE(at(0).awaits_early(9));
  EXPECT_TRUE(at(0).begins());
  EXPECT_EQ(at(0).to_send().size(), 3U);
}

TEST_F(Stores, go_back_to_the_one_before_where_early_pieces_are_under_way) {
  save(10);
  superstep();
  superstep();
  save(20);
  for (const Rank rank : {0, 1, 2}) {
    at(rank).sent_early(9);
    at(rank).superstep_completed();
    at(rank).change_to(1);
    EXPECT_TRUE(at(rank).due());
  }
  EXPECT_EQ(restored(3, {0, 1, 2}), "state 10 of 3");
}

TEST_F(Stores, go_back_to_the_one_before_where_the_newest_is_not_complete) {
  save(10);
  superstep();
  superstep();
  save(20);
  superstep(2);  // ranks 2 and 3 do not come through it
  for (const Rank rank : {0, 1, 2})
    at(rank).change_to(1);
  EXPECT_EQ(at(0).base()->number, 10U);
  EXPECT_EQ(restored(3, {0, 1, 2}), "state 10 of 3");
}

TEST_F(Stores, go_on_from_the_newest_where_all_have_it) {
  save(10);
  superstep();
  superstep();
  save(20);
  superstep();
  superstep(2);
  for (const Rank rank : {0, 1, 2})
    at(rank).change_to(2);
  EXPECT_EQ(restored(3, {0, 1, 2}), "state 20 of 3");
}

TEST_F(Stores, cannot_go_on_from_what_they_do_not_have) {
  save(10);
  EXPECT_THROW(at(0).change_to(1), Error);
  EXPECT_THROW(at(1).change_to(7), Error);
}

TEST_F(Stores, begin_anew_where_nothing_is_complete) {
  save(10);
  at(0).change_to(0);
  EXPECT_EQ(at(0).base(), nullptr);
  EXPECT_TRUE(at(0).due());
}

TEST_F(Stores, have_the_lost_states_until_the_next_world_has_a_checkpoint_of_its_own) {
  lose_rank_3_after_state_10();
  save(10);
  superstep();
  EXPECT_EQ(restored(3, {0, 1, 2}), "state 10 of 3");
  superstep();
  EXPECT_EQ(at(0).base()->members.size(), 3U);
  EXPECT_EQ(restored(2, {0, 1}), "state 10 of 2");
}

TEST_F(Stores, say_so_if_too_little_of_a_state_is_left) {
  save(10);
  superstep();
  superstep();
  EXPECT_THROW(restored(3, {0, 1}), Error);
}

TEST_F(Stores, restore_the_last_state_that_was_sent_where_later_ones_are_kept_by_their_own_ranks_only) {
  save(10);
  superstep();
  superstep();
  for (const std::uint64_t number : {20U, 30U}) {
    save(number, false);
    EXPECT_TRUE(at(0).to_send().empty());
    superstep();
    superstep();
  }
  EXPECT_EQ(at(0).base()->number, 30U);
  EXPECT_EQ(at(0).base()->elsewhere, std::uint64_t{10});
  EXPECT_EQ(own(1), "state 30 of 1");
  EXPECT_EQ(restored(3, {0, 1, 2}), "state 10 of 3");
  save(40);
  superstep();
  superstep();
  EXPECT_EQ(restored(3, {0, 1, 2}), "state 40 of 3");
}

TEST_F(Stores, have_what_was_sent_whichever_of_two_they_go_back_to) {
  for (const std::uint64_t back_to : {1U, 2U}) {
    SCOPED_TRACE(back_to);
    stores.assign(4, {});
    begin_world(all(4));
    save(10);
    superstep();
    superstep();
    save(20, false);
    superstep(back_to == 1 ? 2 : 4);
    for (const Rank rank : {0, 1, 2})
      at(rank).change_to(back_to);
    EXPECT_EQ(at(0).base()->number, 10 * back_to);
    EXPECT_EQ(own(1), back_to == 1 ? "state 10 of 1" : "state 20 of 1");
    EXPECT_EQ(restored(3, {0, 1, 2}), "state 10 of 3");
  }
}

TEST_F(Stores, need_no_pieces_where_nothing_was_sent) {
  save(10, false);
  superstep();
  superstep();
  EXPECT_FALSE(at(0).base()->elsewhere);
  EXPECT_TRUE(Recovery(*at(0).base(), {0}).sources(3).empty());
}

TEST_F(Stores, send_the_first_state_of_a_world_that_goes_on) {
  lose_rank_3_after_state_10();
  EXPECT_THROW(save(10, false), UsageError);
  save(10);
}

class StoresForTwo : public Stores {
 protected:
  StoresForTwo() : Stores(5, 2) {}
};

TEST_F(StoresForTwo, restore_the_states_of_any_two_that_are_lost_at_once) {
  save(10);
  superstep();
  superstep();
  for (Rank one = 0; one < 5; ++one) {
    for (Rank other = one + 1; other < 5; ++other) {
      std::vector<Rank> left;
      for (Rank rank = 0; rank < 5; ++rank)
        if (rank != one && rank != other) left.push_back(rank);
      EXPECT_EQ(restored(one, left), "state 10 of " + std::to_string(one));
      EXPECT_EQ(restored(other, left), "state 10 of " + std::to_string(other));
    }
  }
}

TEST_F(Stores, give_a_state_to_the_next_lower_rank_that_is_left_or_else_to_the_lowest) {
  save(10);
  superstep();
  superstep();
  const Checkpoint& base = *at(0).base();
  EXPECT_EQ(Recovery(base, {0, 1, 3}).neighbour(2), 1);
  EXPECT_EQ(Recovery(base, {1, 2, 3}).neighbour(0), 0);
  EXPECT_EQ(Recovery(base, {2, 3}).lost(), (std::vector<Rank>{0, 1}));
  EXPECT_EQ(Recovery(base, {1, 3}).neighbour(2), 0);
}

}  // namespace
}  // namespace lbsp::checkpoint
