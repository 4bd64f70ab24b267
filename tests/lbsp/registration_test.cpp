#include "lbsp/registration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lbsp/coarray.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RegistrationOver : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(RegistrationOver);

TEST_P(RegistrationOver, lets_others_into_the_program_s_own_memory) {
  run_ranks(2, [](World& world) {
    std::vector<int> memory{1, 2, 3};
    Area<int> area(world, memory);
    area.put(1 - world.rank(), 1, 9);
    world.sync();
    EXPECT_EQ(memory, (std::vector<int>{1, 9, 3}));
  });
}

TEST_P(RegistrationOver, may_be_half_duplex_with_memory_on_one_rank_only) {
  run_ranks(3, [](World& world) {
    std::vector<int> memory(world.rank() == 1 ? 3 : 0);
    Area<int> area(world, memory);
    area.put(1, static_cast<std::size_t>(world.rank()), world.rank() + 5);
    world.sync();
    if (world.rank() == 1) {
      EXPECT_EQ(memory, (std::vector<int>{5, 6, 7}));
    }
  });
}

TEST_P(RegistrationOver, may_cover_the_same_memory_many_times_with_different_sizes) {
  run_ranks(2, [](World& world) {
    std::vector<int> memory(40);
    std::vector<Area<int>> areas;
    for (std::size_t size = 1; size <= 33; ++size)
      areas.emplace_back(world, std::span(memory).first(size));
    world.sync();
    const Rank other = 1 - world.rank();
    EXPECT_THROW(areas[4].put(other, 5, 1), UsageError);
    areas[32].put(other, 32, 7);
    areas[0].put(other, 0, 8);
    world.sync();
    EXPECT_EQ(memory[32], 7);
    EXPECT_EQ(memory[0], 8);
  });
}

TEST_P(RegistrationOver, ends_at_the_sync_so_transfers_of_the_superstep_still_find_the_memory) {
  run_ranks(2, [](World& world) {
    const Rank other = 1 - world.rank();
    auto x = std::make_optional<Coarray<int>>(world, 1);
    (*x)[0] = world.rank() + 3;
    world.sync();
    const auto got = x->get(other, 0);
    (*x)(other)[0] = 1;
    x.reset();  // its memory must stay until the other rank has read it
    world.sync();
    EXPECT_EQ(got.value(), other + 3);
  });
}

TEST_P(RegistrationOver, may_be_made_and_ended_in_any_order_in_every_superstep) {
  run_ranks(3, [](World& world) {
    const Rank next = (world.rank() + 1) % world.size();
    const Rank previous = (world.rank() + world.size() - 1) % world.size();
    std::vector<std::unique_ptr<Coarray<int>>> live;
    for (int step = 0; step < 60; ++step) {
      live.push_back(std::make_unique<Coarray<int>>(world, 1));
      live.push_back(std::make_unique<Coarray<int>>(world, 2));
      if (step % 3 != 0) live.erase(live.begin() + step % static_cast<int>(live.size()));
      if (step % 4 == 0) live.erase(live.begin());
      for (std::size_t i = 0; i < live.size(); ++i) {
        live[i]->put(next, 0, step * 1000 + static_cast<int>(i) * 10 + world.rank());
      }
      world.sync();
      for (std::size_t i = 0; i < live.size(); ++i) {
        ASSERT_EQ((*live[i])[0], step * 1000 + static_cast<int>(i) * 10 + previous);
      }
    }
  });
}

TEST_P(RegistrationOver, moves_with_its_object) {
  run_ranks(2, [](World& world) {
    Coarray<int> first(world, 1);
    Coarray<int> second = std::move(first);
    second(1 - world.rank())[0] = 3;
    world.sync();
    EXPECT_EQ(second[0], 3);
  });
}

TEST_P(RegistrationOver, outlives_a_future_that_nobody_kept) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 1000);
    world.sync();
    x.get(1 - world.rank(), 0, 1000);  // dropped at once, filled all the same
    world.sync();
    EXPECT_EQ(x[0], 0);
  });
}

TEST_P(RegistrationOver, tells_no_values_of_a_get_before_the_sync) {
  run_ranks(1, [](World& world) {
    Coarray<int> x(world, 1);
    const auto got = x.get(0, 0);
    EXPECT_THROW(got.value(), UsageError);
    world.sync();
    EXPECT_EQ(got.values().size(), 1U);
    EXPECT_THROW(x.get(0, 0, 0).value(), UsageError);
  });
}

TEST_P(RegistrationOver, tells_no_other_rank_s_size_before_the_sync) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 7);
    EXPECT_EQ(x.size_at(world.rank()), 7U);
    EXPECT_THROW(x.size_at(1 - world.rank()), UsageError);
    world.sync();
    EXPECT_EQ(x.size_at(1 - world.rank()), 7U);
  });
}

TEST_P(RegistrationOver, names_call_ranks_superstep_and_numbers_of_a_transfer_out_of_range) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, world.rank() == 0 ? 10 : 20);
    world.sync();
    const std::vector<int> values(8);
    try {
      x.put(0, 5, values);
      ADD_FAILURE() << "a put beyond the end was taken";
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), "put of 8 elements at offset 5 in superstep 1 by rank " +
                                  std::to_string(world.rank()) +
                                  ", but rank 0 has registered 10 elements: keep offset + count within them");
    }
    Coarray<int> one(world, 1);
    world.sync();
    EXPECT_THAT([&] { one.put(0, 1, 7); },
                testing::ThrowsMessage<UsageError>(
                    AllOf(HasSubstr("put of 1 element at offset 1"), HasSubstr("registered 1 element: "))));
    if (checks_indices) {
      EXPECT_THAT([&] { one[1] = 7; }, testing::ThrowsMessage<UsageError>(HasSubstr("[1] of 1 element on")));
    }
    EXPECT_THROW(x.get(1, 20), UsageError);
    EXPECT_THROW(x.get(0, ~std::size_t{0} / 4, 8), UsageError);
    EXPECT_THROW(x.get(0, 0, ~std::size_t{0}), UsageError);
    for (const Rank nobody : {2, -1}) {
      EXPECT_THAT([&] { x.put(nobody, 0, 1); }, testing::ThrowsMessage<UsageError>(HasSubstr(
                                                    "rank " + std::to_string(nobody) + ": choose 0 to 1")));
    }
    EXPECT_NO_THROW(x.put(0, 2, values));
    world.sync();
  });
}

TEST_P(RegistrationOver, keeps_what_owns_its_memory_until_its_release_takes_effect) {
  run_ranks(2, [](World& world) {
    auto owner = std::make_shared<std::vector<std::byte>>(8);
    const std::weak_ptr<void> owned = owner;
    {
      const Registration registration(world, {superstep::SlotKind::memory, 1, 0, *owner, owner});
      owner.reset();
      world.sync();
    }
    EXPECT_FALSE(owned.expired());
    world.sync();
    EXPECT_TRUE(owned.expired());
  });
}

TEST_P(RegistrationOver, lets_a_transfer_of_nothing_have_any_arguments) {
  run_ranks(2, [](World& world) {
    Coarray<int> x(world, 1);
    world.sync();
    x.put(99, 1'000'000, std::span<const int>{});
    x.get(-5, 77, std::span<int>{});
    EXPECT_TRUE(x.get(-5, 77, 0).values().empty());
    world.sync();
  });
}

TEST_P(RegistrationOver, checks_an_early_put_where_it_arrives) {
  const auto failed = run_failing_ranks(2, [](World& world) {
    Coarray<int> x(world, world.rank() == 0 ? 4 : 1);
    if (world.rank() == 0) x.put(1, 3, 1);
    world.sync();
    world.sync();
  });
  EXPECT_THAT(
      test::text_of<UsageError>(failed[1]),
      HasSubstr("put of 4 bytes at byte 12 in superstep 0 by rank 0, but rank 1 has registered 4 bytes"));
  EXPECT_THAT(test::text_of<Aborted>(failed[0]),
              AllOf(HasSubstr("rank 1 ended the job"), HasSubstr("put of 4 bytes")));
}

TEST_P(RegistrationOver, checks_an_early_get_where_it_arrives) {
  const auto failed = run_failing_ranks(2, [](World& world) {
    Coarray<int> x(world, world.rank() == 0 ? 4 : 1);
    if (world.rank() == 0) x.get(1, 0, 2);
    world.sync();
    world.sync();
  });
  EXPECT_THAT(
      test::text_of<UsageError>(failed[1]),
      HasSubstr("get of 8 bytes at byte 0 in superstep 0 by rank 0, but rank 1 has registered 4 bytes"));
  EXPECT_THAT(test::text_of<Aborted>(failed[0]), HasSubstr("rank 1"));
}

}  // namespace
}  // namespace lbsp
