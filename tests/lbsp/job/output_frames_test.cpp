#include "lbsp/job/output_frames.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::job {
namespace {

const std::string mark = "lbsp-frame-0123:";

struct Taken {
  std::string others;
  std::vector<Frame> frames;
};

Taken take(FrameLineReader& reader, const std::string& lines) {
  Taken taken;
  taken.others = reader.take(lines, [&](Frame frame) { taken.frames.push_back(std::move(frame)); });
  return taken;
}

TEST(FrameLines, carry_any_bytes_through_a_programs_output) {
  std::string all_bytes;
  for (int i = 0; i < 10'000; ++i)
    all_bytes += static_cast<char>(i);
  const Frame frame{FrameKind::report, 7, all_bytes};
  FrameLineReader reader(mark);
  const Taken taken = take(reader, FrameLines(mark).to_lines(frame));
  ASSERT_EQ(taken.frames.size(), 1u);
  EXPECT_EQ(taken.frames[0], frame);
  EXPECT_EQ(taken.others, "");
}

TEST(FrameLines, stand_among_other_lines_and_behind_one_without_an_end) {
  const FrameLines lines(mark);
  const Frame first{FrameKind::hello, 0, "a"};
  const Frame second{FrameKind::steps, 3, "b"};
  FrameLineReader reader(mark);
  const Taken taken =
      take(reader, "before\nhalf a line" + lines.to_lines(first) + "between\n" + lines.to_lines(second));
  EXPECT_EQ(taken.others, "before\nhalf a linebetween\n");
  EXPECT_EQ(taken.frames, (std::vector<Frame>{first, second}));
}

TEST(FrameLines, of_one_frame_may_come_one_by_one) {
  const Frame frame{FrameKind::report, 1, std::string(3000, 'x')};
  const std::string lines = FrameLines(mark).to_lines(frame);
  FrameLineReader reader(mark);
  const std::size_t cut = lines.find('\n') + 1;
  EXPECT_TRUE(take(reader, lines.substr(0, cut)).frames.empty());
  EXPECT_EQ(take(reader, lines.substr(cut)).frames, std::vector<Frame>{frame});
}

TEST(FrameLines, that_were_mixed_with_others_are_refused) {
  std::string lines = FrameLines(mark).to_lines({FrameKind::hello, 0, "a"});
  lines.insert(lines.size() - 3, "warning: ");
  FrameLineReader reader(mark);
  EXPECT_THROW(take(reader, lines), Error);
}

TEST(FrameLines, of_another_job_are_the_programs_own_output) {
  const std::string lines = FrameLines("lbsp-frame-4567:").to_lines({FrameKind::hello, 0, "a"});
  FrameLineReader reader(mark);
  const Taken taken = take(reader, lines);
  EXPECT_EQ(taken.others, lines);
  EXPECT_TRUE(taken.frames.empty());
}

}  // namespace
}  // namespace lbsp::job
