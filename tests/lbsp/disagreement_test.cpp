#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <thread>

#include "lbsp/coarray.hpp"
#include "lbsp/queue.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class DisagreementOver : public test::OverBackends {
 protected:
  /// Each rank must fail with a UsageError of its own, or because another did, and the text must name both.
  void expect_named(const std::vector<std::exception_ptr>& failed, const std::string& one,
                    const std::string& other) const {
    bool known = false;
    for (const auto& outcome : failed) {
      const auto text = test::text_of<Error>(outcome);
      EXPECT_THAT(text, AllOf(HasSubstr(one), HasSubstr(other)));
      known = known || test::text_of<UsageError>(outcome) == text;
    }
    EXPECT_TRUE(known) << "no rank had a UsageError of its own";
  }
};
LBSP_OVER_ALL_BACKENDS(DisagreementOver);

TEST_P(DisagreementOver, about_the_end_names_who_synced_and_who_ended) {
  const auto failed = run_failing_ranks(2, [](World& world) {
    world.sync();
    if (world.rank() == 0) world.sync();
  });
  expect_named(failed, "rank 0 called sync()", "rank 1 ended the program");
}

TEST_P(DisagreementOver, about_the_size_of_elements_names_both) {
  const auto failed = run_failing_ranks(2, [](World& world) {
    world.sync();
    std::optional<Coarray<int>> ints;
    std::optional<Coarray<double>> doubles;
    if (world.rank() == 0) {
      ints.emplace(world, 2);
    } else {
      doubles.emplace(world, 2);
    }
    world.sync();
  });
  expect_named(failed, "rank 0 registered memory of 4-byte elements",
               "rank 1 registered memory of 8-byte elements");
  EXPECT_THAT(test::text_of<UsageError>(failed[0]), HasSubstr("superstep 1"));
}

TEST_P(DisagreementOver, about_the_number_of_registrations_names_both) {
  const auto failed = run_failing_ranks(2, [](World& world) {
    Coarray<int> x(world, 1);
    std::optional<Coarray<int>> y;
    if (world.rank() == 1) y.emplace(world, 1);
    world.sync();
  });
  expect_named(failed, "rank 0 made no further registration", "rank 1 registered memory of 4-byte elements");
}

TEST_P(DisagreementOver, about_the_order_names_both) {
  const auto failed = run_failing_ranks(2, [](World& world) {
    std::optional<Coarray<int>> x;
    if (world.rank() == 0) x.emplace(world, 1);
    Queue<int, char> queue(world);
    if (world.rank() == 1) x.emplace(world, 1);
    world.sync();
  });
  expect_named(failed, "rank 0 registered memory of 4-byte elements",
               "rank 1 registered a queue of 4-byte values with 1-byte tags");
}

TEST_P(DisagreementOver, about_what_is_released_names_both) {
  const auto failed = run_failing_ranks(2, [](World& world) {
    auto x = std::make_optional<Coarray<int>>(world, 1);
    auto y = std::make_optional<Coarray<int>>(world, 1);
    world.sync();
    (world.rank() == 0 ? x : y).reset();
    world.sync();
  });
  expect_named(failed, "rank 0 released registration 0", "rank 1 released registration 1");
}

TEST_P(DisagreementOver, about_an_agreed_value_names_both) {
  const auto failed = run_failing_ranks(3, [](World& world) {
    world.agree(5);
    world.sync();
    world.agree(world.rank() == 2 ? 7 : 8);
    world.sync();
  });
  for (const auto& outcome : failed)
    EXPECT_THAT(test::text_of<Error>(outcome), HasSubstr("rank 2 gave the value 7"));
}

TEST_P(DisagreementOver, of_one_rank_among_many_reaches_all) {
  const auto failed = run_failing_ranks(5, [](World& world) {
    for (int step = 0; step < 3; ++step)
      world.sync();
    if (world.rank() == 3) return;
    world.sync();
  });
  for (const auto& outcome : failed) {
    EXPECT_THAT(test::text_of<Error>(outcome), AllOf(HasSubstr("rank 3"), HasSubstr("superstep 3")));
  }
}

TEST_P(DisagreementOver, with_what_was_put_but_never_synced_names_rank_and_number) {
  const auto failed = run_failing_ranks(2, [](World& world) {
    Coarray<double> x(world, 4);
    Queue<int> queue(world);
    world.sync();
    if (world.rank() == 0) return;
    x.put(0, 0, 1.);
    x.put(0, 1, 2.);
    x.put(1, 3, 3.);
    x.get(0, 0);
    queue.send(0, 0, 7);
    queue.send(1, 0, 8);
  });
  EXPECT_THAT(
      test::text_of<UsageError>(failed[1]),
      HasSubstr("rank 1 ended the program in superstep 1 with 24 bytes put, 1 get, 2 messages sent since the "
                "last sync(), which would be lost: call sync()"));
  EXPECT_THAT(test::text_of<Error>(failed[0]), HasSubstr("rank 1 ended the program"));
}

TEST_P(DisagreementOver, of_none_is_what_a_synced_put_is) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 1);
    EXPECT_EQ(world.unsynced(), "");
    x.put(0, 0, 1);
    EXPECT_EQ(world.unsynced(), "4 bytes put");
    world.sync();
    EXPECT_EQ(world.unsynced(), "");
  });
}

class FailureOver : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(FailureOver);

TEST_P(FailureOver, by_abort_reaches_all_ranks_with_its_reason) {
  const auto failed = run_failing_ranks(4, [](World& world) {
    world.sync();
    if (world.rank() == 2) world.abort("the matrix is singular");
    world.sync();
  });
  for (const auto& outcome : failed) {
    EXPECT_THAT(test::text_of<Aborted>(outcome),
                AllOf(HasSubstr("rank 2 ended the job"), HasSubstr(": the matrix is singular")));
  }
}

TEST_P(FailureOver, by_an_exception_of_the_program_reaches_all_ranks) {
  const auto failed = run_failing_ranks(3, [](World& world) {
    if (world.rank() == 1) throw std::runtime_error("no such file");
    world.sync();
    world.sync();
  });
  EXPECT_THAT(test::text_of<Aborted>(failed[0]), AllOf(HasSubstr("rank 1"), HasSubstr("no such file")));
  EXPECT_THAT(test::text_of<Aborted>(failed[2]), AllOf(HasSubstr("rank 1"), HasSubstr("no such file")));
}

TEST_P(FailureOver, makes_every_later_call_an_error) {
  run_failing_ranks(2, [](World& world) {
    Coarray<int> x(world, 1);
    std::optional<Coarray<int>> y;
    if (world.rank() == 1) y.emplace(world, 1);
    EXPECT_THROW(world.sync(), Error);
    x.put(0, 0, 1);
    x.put(0, 0, 1);
    EXPECT_THROW(world.sync(), UsageError);
    EXPECT_THROW(world.finish(), UsageError);
  });
}

TEST_P(FailureOver, is_not_what_a_long_computation_is) {
  run_ranks(2, [](World& world) {
    if (world.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    world.sync();
  });
}

}  // namespace
}  // namespace lbsp
