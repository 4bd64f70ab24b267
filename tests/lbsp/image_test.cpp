#include "lbsp/image.hpp"

#include <array>
#include <gtest/gtest.h>

namespace lbsp {
namespace {

struct Row {
  std::uint64_t number = 0;
  std::vector<double> values;

  template <class All>
  void fields(All& all) {
    all(number, values);
  }
  friend bool operator==(const Row&, const Row&) = default;
};

struct Field {
  std::array<int, 3> size{};
  std::vector<Row> rows;
  std::map<std::string, std::pair<int, std::string>> names;

  template <class All>
  void fields(All& all) {
    all(size, rows, names);
  }
  friend bool operator==(const Field&, const Field&) = default;
};

struct Pointing {
  std::unique_ptr<int> value;
};

static_assert(HasImage<double> && HasImage<std::vector<double>> && HasImage<Field>);
static_assert(!HasImage<int*> && !HasImage<Pointing> && !HasImage<std::vector<Pointing>>);

Field some_field() {
  return {{3, 1, 4}, {{7, {1.5, -2.5}}, {8, {}}, {9, {0.1}}}, {{"heat", {1, "warm"}}, {"", {-1, ""}}}};
}

TEST(Image, has_all_of_a_state) {
  Field field = some_field();
  const Bytes bytes = image_of(field);
  EXPECT_EQ(field, some_field());
  Field again{{9, 9, 9}, {{1, {1}}}, {{"old", {}}}};
  restore(again, bytes);
  EXPECT_EQ(again, field);
}

TEST(Image, that_is_too_short_or_too_long_is_refused) {
  Field field = some_field();
  const Bytes bytes = image_of(field);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Field again;
    EXPECT_THROW(restore(again, std::span(bytes).first(length)), Error) << length;
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THROW(restore(field, longer), Error);
}

TEST(Image, whose_lengths_are_absurd_is_refused) {
  std::vector<double> values = {1};
  Bytes bytes = image_of(values);
  bytes[7] = std::byte{0xff};
  EXPECT_THROW(restore(values, bytes), Error);
}

}  // namespace
}  // namespace lbsp
