#include "lbsp/job/frame.hpp"

#include <gtest/gtest.h>
#include <string>

#include "transport/error.hpp"

namespace lbsp::job {
namespace {

TEST(Frame, comes_out_as_it_went_in_byte_by_byte) {
  const Frame first{FrameKind::output, 7, std::string("a line\n\0 and a zero", 19)};
  const Frame second{FrameKind::host_alive, 65535, ""};
  const std::string stream = encode(first) + encode(second);
  FrameReader reader;
  std::vector<Frame> frames;
  for (const char byte : stream) {
    reader.add({&byte, 1});
    while (auto frame = reader.next())
      frames.push_back(*frame);
  }
  EXPECT_EQ(frames, (std::vector<Frame>{first, second}));
  EXPECT_TRUE(reader.at_boundary());
}

TEST(Frame, comes_out_of_one_large_read_too) {
  FrameReader reader;
  reader.add(encode({FrameKind::input, 0, "x"}) + encode({FrameKind::input, 0, "y"}) + "\x05");
  EXPECT_EQ(reader.next()->payload, "x");
  EXPECT_EQ(reader.next()->payload, "y");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_FALSE(reader.at_boundary());
}

TEST(Frame, has_its_header_in_little_endian_order) {
  EXPECT_EQ(encode({FrameKind::signal, 0x0102, "Z"}), std::string("\x01\x00\x00\x00\x02\x02\x01Z", 8));
}

TEST(Frame, has_ranks_as_its_payload) {
  for (const std::vector<int>& ranks : {std::vector<int>{}, {7}, {0, 12, 65535}})
    EXPECT_EQ(ranks_in({FrameKind::host_alive, 0, ranks_to_payload(ranks)}), ranks);
  for (const char* wrong : {"stopped", "1 x", "1  2", "-1", "65536"})
    EXPECT_THROW(ranks_in({FrameKind::host_alive, 0, wrong}), Error) << wrong;
}

TEST(FrameReader, refuses_a_length_beyond_the_bound_before_it_has_come) {
  FrameReader reader;
  reader.add(std::string("\x01\x00\x00\x01\x01\x00\x00", 7));
  EXPECT_THROW(reader.next(), Error);
}

TEST(FrameReader, refuses_what_a_login_script_prints) {
  FrameReader reader;
  reader.add("Welcome to host b!\n");
  EXPECT_THROW(reader.next(), Error);
}

TEST(FrameReader, refuses_an_unknown_kind) {
  FrameReader reader;
  reader.add(std::string("\x00\x00\x00\x00\x09\x00\x00", 7));
  EXPECT_THROW(reader.next(), Error);
}

TEST(Frame, is_not_made_longer_than_the_bound) {
  EXPECT_THROW(encode({FrameKind::input, 0, std::string(max_frame_payload + 1, 'x')}), Error);
}

}  // namespace
}  // namespace lbsp::job
