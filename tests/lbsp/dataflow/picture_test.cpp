#include "lbsp/dataflow/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace lbsp::dataflow {
namespace {

void drawn(const Inputs&, Outputs&) {}

TEST(DataflowPicture, streams_that_travelled_are_bold_and_names_are_quoted) {
  Graph graph;
  const auto kernel = graph.kernel("drawn", drawn);
  graph.token("say \"a\"", kernel).writes("x");
  graph.token("b", kernel).reads("x").writes("y");
  graph.token("c", kernel).reads("x").writes("z");
  const std::string text = picture(graph, {0, 0, 1});
  EXPECT_THAT(text, testing::HasSubstr("\"say \\\"a\\\"\" -> \"b\" [style=dotted, tooltip=\"x\"];"));
  EXPECT_THAT(text, testing::HasSubstr("\"say \\\"a\\\"\" -> \"c\" [style=bold, tooltip=\"x\"];"));
  EXPECT_THAT(text, testing::HasSubstr("tooltip=\"rank 1\""));
}

TEST(DataflowPicture, tokens_that_ran_again_have_a_bold_frame_and_those_of_lost_ranks_no_colour) {
  Graph graph;
  const auto kernel = graph.kernel("drawn", drawn);
  graph.token("a", kernel).writes("x");
  graph.token("b", kernel).writes("y");
  const std::string text = picture(graph, {no_worker, 1}, {false, true});
  EXPECT_THAT(text, testing::HasSubstr("\"a\" [fillcolor=\"white\", tooltip=\"a rank that was lost\"];"));
  EXPECT_THAT(text, testing::HasSubstr("penwidth=3, tooltip=\"rank 1, not for the first time\"];"));
}

}  // namespace
}  // namespace lbsp::dataflow
