#include "algorithms/fft2d.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>

#include "algorithms/hashed_matrix.hpp"
#include "algorithms/rectangle_transfer.hpp"
#include "algorithms/verification.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp::algorithms {
namespace {

using ::testing::HasSubstr;

template <class T>
using Elements = std::vector<std::complex<T>>;

const HashedMatrix real_parts(1, 0);
const HashedMatrix imaginary_parts(1, 1);

template <class T>
std::complex<T> element(std::size_t i, std::size_t j) {
  return {real_parts.at<T>(i, j), imaginary_parts.at<T>(i, j)};
}

template <class T>
Elements<T> elements(Range rows, std::size_t columns) {
  Elements<T> values;
  for (std::size_t i = rows.begin; i < rows.end(); ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      values.push_back(element<T>(i, j));
  }
  return values;
}

template <class T>
Elements<T> transformed_alone(std::size_t rows, std::size_t columns, Direction direction) {
  Elements<T> values = elements<T>({0, rows}, columns);
  fft2d_alone<T>(values, rows, columns, direction);
  if (direction == Direction::inverse) {
    for (auto& value : values)
      value /= static_cast<T>(rows * columns);
  }
  return values;
}

/// The rows of all ranks, put together on rank 0.
template <class T>
Elements<T> whole_of(World& world, const Elements<T>& own, std::size_t rows, std::size_t columns) {
  return collect<std::complex<T>>(world, {rows, columns, own}, [&](std::size_t m, std::size_t n, Rank rank) {
    return rows_of_rank(m, n, rank, world.size());
  });
}

class Fft2dOver : public test::OverBackends {
 protected:
  template <class T>
  void expect_the_transform(Rank ranks, std::size_t rows, std::size_t columns, Direction direction) const {
    const Elements<T> expected = transformed_alone<T>(rows, columns, direction);
    run_ranks(ranks, [&](World& world) {
      Fft2d<T> fft(world, rows, columns, {.direction = direction});
      Elements<T> values = elements<T>(fft.own_rows(), columns);
      fft.transform(values);
      const Elements<T> whole = whole_of<T>(world, values, rows, columns);
      if (world.rank() == 0) {
        EXPECT_TRUE(verify_transform<T>(whole, expected).passed())
            << ranks << " ranks, " << rows << " x " << columns;
      }
    });
  }
};

TEST_P(Fft2dOver, equals_the_single_process_one_for_any_size_on_any_number_of_ranks) {
  for (const Rank ranks : {1, 2, 3, 4, 8, 9}) {
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{16, 16}, {37, 53}, {9, 128}, {67, 9}}) {
      expect_the_transform<double>(ranks, rows, columns, Direction::forward);
    }
    expect_the_transform<double>(ranks, 37, 53, Direction::inverse);
    expect_the_transform<float>(ranks, 37, 53, Direction::forward);
    expect_the_transform<float>(ranks, 24, 10, Direction::inverse);
  }
}

TEST_P(Fft2dOver, is_right_where_there_are_more_ranks_than_rows_or_columns) {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1}, {1, 20}, {20, 1}, {3, 5}}) {
    expect_the_transform<double>(8, rows, columns, Direction::forward);
  }
}

TEST_P(Fft2dOver, of_nothing_is_nothing) {
  run_ranks(3, [](World& world) {
    Fft2d<double> fft(world, 0, 7);
    Elements<double> values;
    fft.transform(values);
    EXPECT_TRUE(values.empty());
  });
}

TEST_P(Fft2dOver, left_transposed_takes_one_superstep_and_has_the_columns_as_rows) {
  constexpr std::size_t rows = 14;
  constexpr std::size_t columns = 11;
  const Elements<double> expected = transformed_alone<double>(rows, columns, Direction::forward);
  run_ranks(4, [&](World& world) {
    Fft2d<double> fft(world, rows, columns, {.transposed = true});
    Elements<double> values = elements<double>(fft.own_rows(), columns);
    fft.transform(values);
    EXPECT_EQ(world.superstep(), 1U);
    const Elements<double> whole = whole_of<double>(world, values, columns, rows);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const auto wanted = expected[i % rows * columns + i / rows];
      EXPECT_LE(std::abs(whole[i] - wanted), 1e-12);
    }
  });
}

TEST_P(Fft2dOver, is_planned_once_and_used_often_and_the_inverse_undoes_it) {
  run_ranks(3, [](World& world) {
    Fft2d<double> forward(world, 19, 23, {.planning = Planning::measure});
    Fft2d<double> inverse(world, 19, 23, {.direction = Direction::inverse});
    const Elements<double> original = elements<double>(forward.own_rows(), 23);
    Elements<double> values = original;
    for (int i = 0; i < 3; ++i) {
      forward.transform(values);
      inverse.transform(values);
    }
    EXPECT_EQ(world.superstep(), 12U);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_LE(std::abs(values[i] - original[i]), 1e-13);
  });
}

TEST_P(Fft2dOver, keeps_the_energy_by_parseval) {
  run_ranks(4, [](World& world) {
    Fft2d<double> fft(world, 31, 18);
    Elements<double> values = elements<double>(fft.own_rows(), 18);
    fft.transform(values);
    const auto whole = whole_of<double>(world, values, 31, 18);
    if (world.rank() != 0) return;
    EXPECT_TRUE(verify_energy<double>(elements<double>({0, 31}, 18), whole, 31. * 18.).passed());
  });
}

TEST_P(Fft2dOver, of_sizes_that_the_ranks_disagree_about_is_refused) {
  const auto outcomes = run_failing_ranks(3, [](World& world) {
    Fft2d<double> fft(world, world.rank() == 1 ? 5 : 6, 8);
    Elements<double> values(fft.own_rows().count * 8);
    fft.transform(values);
  });
  for (const auto& outcome : outcomes)
    EXPECT_NE(test::text_of<Error>(outcome), "(no error)");
}

TEST_P(Fft2dOver, of_other_than_its_rows_is_refused) {
  const auto outcomes = run_failing_ranks(1, [](World& world) {
    Elements<double> values(7);
    Fft2d<double>(world, 2, 4).transform(values);
  });
  EXPECT_THAT(test::text_of<UsageError>(outcomes[0]), HasSubstr("planned for 8 values was given 7"));
}

LBSP_OVER_ALL_BACKENDS(Fft2dOver);

TEST(LocalFft, is_the_sum_of_its_definition) {
  constexpr std::size_t n = 7;
  Elements<double> values = elements<double>({0, 2}, n);
  const Elements<double> x = values;
  LocalFft<double>(n, 2, Direction::forward).transform(values);
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        sum += x[row * n + j] * std::polar(1., -2 * std::numbers::pi * static_cast<double>(j * k) / n);
      }
      EXPECT_LE(std::abs(values[row * n + k] - sum), 1e-13);
    }
  }
}

TEST(LocalFft, refuses_what_fftw_cannot_count) {
  EXPECT_THROW(LocalFft<double>(std::size_t{1} << 31, 0, Direction::forward), UsageError);
}

}  // namespace
}  // namespace lbsp::algorithms
