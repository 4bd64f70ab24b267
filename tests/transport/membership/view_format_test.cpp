#include "transport/membership/view_format.hpp"

#include <gtest/gtest.h>
#include <span>
#include <vector>

namespace lbsp::transport {
namespace {

Decision a_value() {
  Decision value{.members = {0, 2, 3, 255}, .boundary = 1234567890123, .seats = {}};
  value.seats.push_back({.slot = 1, .spare = 7, .incarnation = {}});
  value.seats.back().incarnation.bytes[15] = std::byte{9};
  return value;
}

View full_view() {
  View view{.epoch = 5, .version = 77, .promised = {3, 2}, .accepted = Accepted{{2, 1}, a_value()}};
  view.decided = a_value();
  view.suspects = {1};
  view.hears = {0, 2, 3};
  view.ended = {1, 9};
  view.refused = {2};
  view.held = {40, 41};
  return view;
}

std::vector<std::byte> written(const View& view) {
  std::vector<std::byte> buffer(longest_view_bytes);
  WireWriter out(buffer);
  write(out, view);
  buffer.resize(out.written());
  return buffer;
}

TEST(ViewFormat, a_view_that_is_written_is_read_the_same) {
  for (const View& view : {View{}, full_view()}) {
    const auto bytes = written(view);
    WireReader in(bytes);
    EXPECT_EQ(read_view(in), view);
    EXPECT_TRUE(in.rest().empty());
  }
}

TEST(ViewFormat, the_longest_view_has_the_length_that_is_promised) {
  View view = full_view();
  view.suspects = view.hears = view.ended = view.refused = MemberSet::first(MemberSet::most);
  view.accepted->value.members = view.suspects;
  view.accepted->value.seats.resize(Decision::most_seats);
  view.decided = view.accepted->value;
  EXPECT_EQ(written(view).size(), longest_view_bytes);
}

TEST(ViewFormat, a_view_that_is_cut_short_is_none) {
  const auto bytes = written(full_view());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::span<const std::byte> all = bytes;
    WireReader in(all.first(length));
    EXPECT_FALSE(read_view(in)) << length;
  }
}

TEST(ViewFormat, what_the_format_does_not_have_is_refused) {
  const auto refused = [](std::size_t place, unsigned value) {
    auto bytes = written(View{});
    bytes.resize(longest_view_bytes);
    bytes[place] = static_cast<std::byte>(value);
    WireReader in(bytes);
    return !read_view(in);
  };
  EXPECT_TRUE(refused(14, 4)) << "an unknown flag";
  EXPECT_TRUE(refused(31, 33)) << "a set of more slots than there are";
  EXPECT_TRUE(refused(31, 2)) << "a set with a last byte of zeros, which could be written shorter";
}

TEST(ViewFormat, a_value_with_too_many_seats_or_a_slot_that_cannot_be_is_refused) {
  std::vector<std::byte> buffer(longest_view_bytes);
  WireWriter out(buffer);
  write(out, a_value());
  const std::size_t seats = 1 + 32 + 8;
  ASSERT_EQ(buffer[seats], std::byte{1});
  buffer[seats] = std::byte{17};
  WireReader many(buffer);
  EXPECT_FALSE(read_decision(many));
  buffer[seats] = std::byte{1};
  buffer[seats + 2] = std::byte{1};  // slot 257
  WireReader beyond(buffer);
  EXPECT_FALSE(read_decision(beyond));
}

}  // namespace
}  // namespace lbsp::transport
