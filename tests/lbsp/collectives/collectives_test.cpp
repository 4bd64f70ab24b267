// Every collective in every variant over every backend, on 1 to 9 ranks, against a single-process reference
// that follows the definition.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
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

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr Rank most_ranks = 9;
constexpr std::size_t sizes[] = {0, 1, 5, 1000};  // 1000 doubles: several segments, no multiple of most P
constexpr Broadcast broadcasts[] = {Broadcast::direct, Broadcast::binomial_tree, Broadcast::van_de_geijn,
                                    Broadcast::two_phase};
constexpr AllGather all_gathers[] = {AllGather::direct, AllGather::ring, AllGather::recursive_doubling,
                                     AllGather::bruck};
constexpr Reduce reduces[] = {Reduce::direct, Reduce::binomial_tree, Reduce::two_phase};
constexpr AllReduce all_reduces[] = {AllReduce::direct, AllReduce::recursive_doubling, AllReduce::two_phase};
constexpr Scan scans[] = {Scan::direct, Scan::recursive_doubling};

/// Values whose sums round, so that other brackets or another order show.
std::vector<double> values_of(Rank rank, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = 1.0 / (3.0 + static_cast<double>(rank) * 7.7 + static_cast<double>(i));
  return values;
}

/// Composing x → ax + b is associative, but not commutative.
struct Affine {
  std::uint64_t a;
  std::uint64_t b;
  friend Affine operator+(const Affine& f, const Affine& g) { return {f.a * g.a, g.a * f.b + g.b}; }
  friend bool operator==(const Affine&, const Affine&) = default;
};

Affine affine_of(Rank rank) {
  return {2 * static_cast<std::uint64_t>(rank) + 3, static_cast<std::uint64_t>(rank) + 1};
}

/// The binary tree over ranks begin … end-1 that reduce.hpp promises, by its definition.
std::vector<double> tree_sum(Rank begin, Rank end, std::size_t count) {
  if (end - begin == 1) return values_of(begin, count);
  Rank half = 1;
  while (2 * half < end - begin)
    half *= 2;
  std::vector<double> left = tree_sum(begin, begin + half, count);
  const std::vector<double> right = tree_sum(begin + half, end, count);
  for (std::size_t i = 0; i < count; ++i)
    left[i] += right[i];
  return left;
}

class Collectives : public test::OverBackends {
 protected:
  void on_every_number_of_ranks(const test::Program& program) const {
    for (Rank ranks = 1; ranks <= most_ranks; ++ranks)
      run_ranks(ranks, program);
  }
};

TEST_P(Collectives, broadcast_the_roots_values_in_every_variant) {
  on_every_number_of_ranks([](World& world) {
    for (const std::size_t count : sizes) {
      for (const Broadcast how : broadcasts) {
        const Rank root = static_cast<Rank>(count) % world.size();
        std::vector<double> values = values_of(world.rank(), count);
        broadcast(world, values, root, how);
        ASSERT_EQ(values, values_of(root, count)) << world.size() << " ranks, variant " << int(how);
      }
    }
  });
}

TEST_P(Collectives, gather_all_contributions_in_order_in_every_variant) {
  on_every_number_of_ranks([](World& world) {
    for (const std::size_t count : sizes) {
      std::vector<double> expected;
      for (Rank rank = 0; rank < world.size(); ++rank)
        std::ranges::copy(values_of(rank, count), std::back_inserter(expected));
      for (const AllGather how : all_gathers) {
        ASSERT_EQ(all_gather(world, values_of(world.rank(), count), how), expected)
            << world.size() << " ranks, variant " << int(how);
      }
    }
  });
}

TEST_P(Collectives, reduce_to_any_root_with_the_same_bits_in_every_variant) {
  on_every_number_of_ranks([](World& world) {
    for (const std::size_t count : sizes) {
      const std::vector<double> expected = tree_sum(0, world.size(), count);
      for (const Reduce how : reduces) {
        const Rank root = (world.size() - 1) / 2;
        std::vector<double> values = values_of(world.rank(), count);
        reduce(world, values, std::plus{}, root, how);
        if (world.rank() != root) continue;
        ASSERT_EQ(values, expected) << world.size() << " ranks, variant " << int(how);
      }
    }
  });
}

TEST_P(Collectives, reduce_to_all_with_the_same_bits_in_every_variant) {
  on_every_number_of_ranks([](World& world) {
    for (const std::size_t count : sizes) {
      const std::vector<double> expected = tree_sum(0, world.size(), count);
      for (const AllReduce how : all_reduces) {
        std::vector<double> values = values_of(world.rank(), count);
        all_reduce(world, values, std::plus{}, how);
        ASSERT_EQ(values, expected) << world.size() << " ranks, variant " << int(how);
      }
    }
  });
}

TEST_P(Collectives, scan_with_the_bits_of_a_reduction_of_the_ranks_concerned) {
  on_every_number_of_ranks([](World& world) {
    for (const std::size_t count : sizes) {
      for (const Scan how : scans) {
        std::vector<double> inclusive = values_of(world.rank(), count);
        inclusive_scan(world, inclusive, std::plus{}, how);
        ASSERT_EQ(inclusive, tree_sum(0, world.rank() + 1, count)) << world.size() << " ranks";
        std::vector<double> exclusive = values_of(world.rank(), count);
        exclusive_scan(world, exclusive, -1, std::plus{}, how);
        if (world.rank() == 0) {
          ASSERT_THAT(exclusive, Each(-1));
        } else {
          ASSERT_EQ(exclusive, tree_sum(0, world.rank(), count)) << world.size() << " ranks";
        }
      }
    }
  });
}

TEST_P(Collectives, keep_the_ranks_in_order_where_the_operation_does_not_commute) {
  on_every_number_of_ranks([](World& world) {
    Affine before{1, 0};
    Affine all{1, 0};
    for (Rank rank = 0; rank < world.size(); ++rank) {
      if (rank < world.rank()) before = before + affine_of(rank);
      all = all + affine_of(rank);
    }
    const Affine own = affine_of(world.rank());
    for (const AllReduce how : all_reduces)
      ASSERT_EQ(all_reduce(world, own, std::plus{}, how), all);
    for (const Scan how : scans) {
      ASSERT_EQ(inclusive_scan(world, own, std::plus{}, how), before + own);
      ASSERT_EQ(exclusive_scan(world, own, Affine{1, 0}, std::plus{}, how), before);
    }
    for (const Reduce how : reduces) {
      for (Rank root = 0; root < world.size(); ++root) {
        std::vector<Affine> values{own};
        reduce(world, values, std::plus{}, root, how);
        if (world.rank() == root) {
          ASSERT_EQ(values[0], all) << "root " << root << " of " << world.size();
        }
      }
    }
  });
}

TEST_P(Collectives, choose_a_variant_by_themselves) {
  run_ranks(5, [](World& world) {
    std::vector<float> values(300'000, world.rank() == 3 ? 2.5F : 0.F);
    broadcast(world, values, 3);
    EXPECT_THAT(std::vector<float>(values.end() - 3, values.end()), Each(2.5F));
    EXPECT_EQ(all_reduce(world, world.rank(), std::plus{}), 10);
    EXPECT_EQ(exclusive_scan(world, 2, 0, std::plus{}), 2 * world.rank());
    EXPECT_THAT(all_gather(world, world.rank()), ElementsAreArray({0, 1, 2, 3, 4}));
  });
}

TEST_P(Collectives, broadcast_one_value_too) {
  struct Setting {
    int size = 0;
    double tolerance = 0;
  };
  on_every_number_of_ranks([](World& world) {
    Setting setting;
    if (world.rank() == world.size() - 1) setting = {7, 0.5};
    broadcast(world, setting, world.size() - 1);
    EXPECT_EQ(setting.size, 7);
    EXPECT_EQ(setting.tolerance, 0.5);
  });
}

TEST_P(Collectives, take_c_arrays) {
  run_ranks(3, [](World& world) {
    const int own = world.rank() + 1;
    int values[2] = {own, 10 * own};
    all_reduce(world, values, std::plus{});
    EXPECT_THAT(values, ElementsAre(6, 60));
    int scanned[1] = {own};
    inclusive_scan(world, scanned, std::plus{});
    EXPECT_EQ(scanned[0], own * (own + 1) / 2);
    int before[1] = {own};
    exclusive_scan(world, before, 0, std::plus{});
    EXPECT_EQ(before[0], own * (own - 1) / 2);
    int of_last[1] = {own};
    reduce(world, of_last, [](int, int y) { return y; });
    EXPECT_TRUE(world.rank() != 0 || of_last[0] == 3);
    broadcast(world, values, 2);
    const int mine[1] = {own};
    EXPECT_THAT(all_gather(world, mine), ElementsAre(1, 2, 3));
    EXPECT_EQ(gather(world, mine).size(), own == 1 ? 3U : 0U);
  });
}

TEST_P(Collectives, gather_arrays_of_different_sizes_to_any_root) {
  on_every_number_of_ranks([](World& world) {
    const Rank root = world.size() - 1;
    const auto all =
        gather(world, std::vector<int>(static_cast<std::size_t>(world.rank()), world.rank()), root);
    std::vector<int> expected;
    for (Rank rank = 0; rank < world.size() && world.rank() == root; ++rank)
      expected.insert(expected.end(), static_cast<std::size_t>(rank), rank);
    EXPECT_EQ(all, expected);
  });
}

TEST_P(Collectives, scatter_what_gather_brings_back) {
  on_every_number_of_ranks([](World& world) {
    for (const int count : {0, 1, 4, 100}) {
      std::vector<int> all(static_cast<std::size_t>(count));
      std::iota(all.begin(), all.end(), 1);
      const Rank root = count % world.size();
      const auto own = scatter(world, world.rank() == root ? all : std::vector<int>{}, root);
      EXPECT_EQ(own.size(), part_of(all.size(), world.size(), world.rank()).count);
      const auto back = gather(world, own, root);
      EXPECT_EQ(back, world.rank() == root ? all : std::vector<int>{});
    }
  });
}

TEST_P(Collectives, bring_everyones_message_to_everyone) {
  on_every_number_of_ranks([](World& world) {
    const auto length = [](Rank from, Rank to) { return static_cast<std::size_t>((from * 5 + to * 3) % 4); };
    std::vector<std::vector<int>> outgoing;
    outgoing.reserve(static_cast<std::size_t>(world.size()));
    for (Rank to = 0; to < world.size(); ++to)
      outgoing.emplace_back(length(world.rank(), to), 100 * world.rank() + to);
    const auto incoming = all_to_all(world, outgoing);
    ASSERT_EQ(incoming.size(), outgoing.size());
    for (Rank from = 0; from < world.size(); ++from) {
      EXPECT_EQ(incoming[static_cast<std::size_t>(from)],
                std::vector<int>(length(from, world.rank()), 100 * from + world.rank()));
    }
  });
}

LBSP_OVER_ALL_BACKENDS(Collectives);

}  // namespace
}  // namespace lbsp
