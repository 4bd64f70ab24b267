#include "lbsp/survival/saved_states.hpp"

#include <any>
#include <gtest/gtest.h>
#include <string>

#include "transport/error.hpp"

namespace lbsp {
namespace {

std::string text_of(const SavedStates::Kept* kept) {
  return kept == nullptr ? "none" : std::any_cast<std::string>(kept->state);
}

/// Saved in the supersteps 3 and 4.
SavedStates two_states() {
  SavedStates saved;
  saved.begin_world();
  saved.save(1, std::string("first"), 3);
  saved.save(2, std::string("second"), 4);
  return saved;
}

TEST(SavedStates, are_the_newest_and_the_one_before_of_which_all_have_one) {
  SavedStates back = two_states();
  back.go_on_from(1);
  EXPECT_EQ(text_of(back.restored()), "first");
  SavedStates on = two_states();
  on.go_on_from(2);
  EXPECT_EQ(text_of(on.restored()), "second");
  on.go_on_from(2);
  EXPECT_EQ(text_of(on.restored()), "second") << "the next world is gone before anything was saved in it";
  EXPECT_THROW(on.go_on_from(1), UsageError) << "nobody needs that one any more";
}

TEST(SavedStates, of_one_superstep_are_the_last) {
  SavedStates saved;
  saved.save(1, std::string("first"), 3);
  saved.save(2, std::string("second"), 3);
  EXPECT_THROW(saved.go_on_from(1), UsageError);
}

TEST(SavedStates, are_forgotten_where_all_begin_again) {
  SavedStates saved = two_states();
  saved.go_on_from(0);
  EXPECT_EQ(saved.restored(), nullptr);
  EXPECT_FALSE(saved.any());
}

TEST(SavedStates, count_supersteps_anew_in_each_world) {
  SavedStates saved = two_states();
  saved.go_on_from(2);
  saved.begin_world();
  saved.save(3, std::string("third"), 0);
  EXPECT_EQ(saved.restored(), nullptr) << "a newer one is there";
  saved.go_on_from(2);
  EXPECT_EQ(text_of(saved.restored()), "second");
}

TEST(SavedStates, have_numbers_from_1_that_never_become_lower) {
  SavedStates saved;
  EXPECT_FALSE(saved.any());
  EXPECT_THROW(saved.check(0), UsageError);
  saved.save(5, std::string("fifth"), 0);
  EXPECT_TRUE(saved.any());
  EXPECT_THROW(saved.check(4), UsageError);
  EXPECT_NO_THROW(saved.check(5));
}

}  // namespace
}  // namespace lbsp
