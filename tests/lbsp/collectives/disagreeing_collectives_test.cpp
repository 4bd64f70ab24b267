// What collectives say to ranks that disagree about the call, and to wrong arguments.
#include <algorithm>
#include <exception>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "lbsp/collectives/all_gather.hpp"
#include "lbsp/collectives/all_to_all.hpp"
#include "lbsp/collectives/broadcast.hpp"
#include "lbsp/collectives/gather.hpp"
#include "lbsp/collectives/reduce.hpp"
#include "lbsp/collectives/scan.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DisagreeingCollectives : public test::OverBackends {};

/// Each rank that found out itself that they disagree has this in its text; one at least did. (Those that
/// were told are told in fewer words.)
void expect_named(const std::vector<std::exception_ptr>& failed, const std::string& one,
                  const std::string& other, const std::string& advice) {
  int found_out = 0;
  for (const auto& outcome : failed) {
    try {
      std::rethrow_exception(outcome);
    } catch (const UsageError& error) {
      ++found_out;
      EXPECT_THAT(error.what(), AllOf(HasSubstr(one), HasSubstr(other), HasSubstr(advice)));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the ranks disagree in superstep 0: rank "));
    }
  }
  EXPECT_GT(found_out, 0);
}

double least(double a, double b) {
  return std::min(a, b);
}
double greatest(double a, double b) {
  return std::max(a, b);
}

TEST_P(DisagreeingCollectives, refuse_what_the_ranks_disagree_about) {
  // The text of every rank that found it out itself names what one of them called and what another did.
  const auto expect_refused = [&](const test::Program& program, const std::string& one,
                                  const std::string& other) {
    expect_named(run_failing_ranks(3, program), "called " + one, "called " + other,
                 "call the same collective with the same root, size and operation");
  };
  expect_refused(
      [](World& world) {
        std::vector<int> values(world.rank() == 1 ? 3 : 4);
        broadcast(world, values);
      },
      "broadcast (direct, root 0, 3 elements of 4 bytes)",
      "broadcast (direct, root 0, 4 elements of 4 bytes)");
  expect_refused(
      [](World& world) {
        std::vector<int> values(4);
        broadcast(world, values, world.rank() == 2 ? 1 : 0);
      },
      "broadcast (direct, root 1,", "broadcast (direct, root 0,");
  expect_refused(
      [](World& world) {
        all_reduce(world, 1, std::plus{}, world.rank() == 0 ? AllReduce::direct : AllReduce::two_phase);
      },
      "all_reduce (direct,", "all_reduce (two_phase,");
  expect_refused(
      [](World& world) {
        if (world.rank() == 2) {
          all_gather(world, 1);
        } else {
          all_reduce(world, 1, std::plus{});
        }
      },
      "all_gather (direct, 4 bytes)", "all_reduce (direct, 1 element of 4 bytes, by std::plus<void> of int)");
  expect_refused(
      [](World& world) {
        if (world.rank() == 0) gather(world, std::vector{1});
        scatter(world, std::vector{1}, 1);
      },
      "gather (root 0, elements of 4 bytes)", "scatter (root 1, elements of 4 bytes)");
  expect_refused(
      [](World& world) {
        if (world.rank() == 0) {
          all_to_all(world, std::vector<std::vector<char>>(3));
        } else {
          all_to_all(world, std::vector<std::vector<long>>(3));
        }
      },
      "all_to_all (elements of 1 bytes)", "all_to_all (elements of 8 bytes)");
}

TEST_P(DisagreeingCollectives, refuse_different_operations) {
  const auto expect_refused = [&](const test::Program& program, const std::string& one,
                                  const std::string& other) {
    expect_named(run_failing_ranks(3, program), one, other, "on every rank");
  };
  expect_refused(
      [](World& world) {
        if (world.rank() == 1) {
          all_reduce(world, 1, std::multiplies{});
        } else {
          all_reduce(world, 1, std::plus{});
        }
      },
      "by std::multiplies<void> of int", "by std::plus<void> of int");
  expect_refused([](World& world) { reduce(world, std::vector{1.}, world.rank() == 1 ? least : greatest); },
                 "reduce (direct, root 0, 1 element of 8 bytes, by the function at 0x", "of the program");
  expect_refused(
      [](World& world) {
        if (world.rank() == 1) {
          inclusive_scan(world, 1, [](int a, int b) { return std::max(a, b); });
        } else {
          inclusive_scan(world, 1, [](int a, int b) { return std::min(a, b); });
        }
      },
      "scan (direct, 1 element of 4 bytes, by ", "{lambda(int, int)#");
}

TEST_P(DisagreeingCollectives, refuse_values_of_different_types_of_one_size) {
  const auto outcomes = run_failing_ranks(3, [](World& world) {
    if (world.rank() == 1) {
      all_reduce(world, 1.F, std::plus{});
    } else {
      all_reduce(world, 1, std::plus{});
    }
  });
  expect_named(outcomes, "by std::plus<void> of float", "by std::plus<void> of int", "on every rank");
}

TEST_P(DisagreeingCollectives, take_a_function_and_the_same_lambda_on_all_ranks) {
  run_ranks(3, [](World& world) {
    const auto rank = static_cast<double>(world.rank());
    EXPECT_EQ(all_reduce(world, rank, least), 0);
    EXPECT_EQ(all_reduce(world, rank, &greatest), 2);
    EXPECT_EQ(all_reduce(world, rank, [](double a, double b) { return a * b + 1; }), 3);
  });
}

TEST_P(DisagreeingCollectives, refuse_a_root_that_is_no_rank_and_messages_for_too_few) {
  const auto outcomes = run_failing_ranks(2, [](World& world) { gather(world, std::vector{1}, 2); });
  EXPECT_THAT(test::text_of<UsageError>(outcomes[0]), HasSubstr("root 2 of 2 ranks: choose 0 to 1"));
  const auto short_ones =
      run_failing_ranks(2, [](World& world) { all_to_all(world, std::vector<std::vector<int>>(1)); });
  EXPECT_THAT(test::text_of<UsageError>(short_ones[0]), HasSubstr("was given 1 messages"));
}

TEST_P(DisagreeingCollectives, refuse_a_root_below_0_in_each_collective_that_has_one) {
  for (const Rank root : {-1, -2, std::numeric_limits<Rank>::min()}) {
    const std::vector<test::Program> calls = {
        [root](World& world) { gather(world, std::vector{1}, root); },
        [root](World& world) {
          scatter(world, std::vector{1, 2}, root);
        },
        [root](World& world) { reduce(world, std::vector{1}, std::plus{}, root); },
        [root](World& world) {
          int value = 1;
          broadcast(world, value, root);
        }};
    for (const auto& call : calls) {
      const auto outcomes = run_failing_ranks(2, call);
      EXPECT_THAT(test::text_of<UsageError>(outcomes[0]), HasSubstr("of 2 ranks: choose 0 to 1"));
    }
  }
}

LBSP_OVER_ALL_BACKENDS(DisagreeingCollectives);

}  // namespace
}  // namespace lbsp
