#include "lbsp/dataflow/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "transport/error.hpp"

namespace lbsp::dataflow {
namespace {

void nothing(const Inputs&, Outputs&) {}
StreamBytes no_bytes() {
  return {};
}

/// a -> b -> c, in two tokens.
Graph chain() {
  Graph graph;
  const auto kernel = graph.kernel("nothing", nothing);
  graph.initial("a", no_bytes);
  graph.token("first", kernel).reads("a").writes("b");
  graph.token("second", kernel).reads("b").writes("c");
  graph.result("c");
  return graph;
}

std::string refusal(const Graph& graph) {
  try {
    graph.check();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(none)";
}

TEST(DataflowGraph, edges_and_levels_follow_from_the_names_of_streams) {
  Graph graph = chain();
  graph.token("third", 0).reads("a").reads("c").writes("d");
  graph.result("d");
  EXPECT_THAT(graph.check(), testing::IsEmpty());
  const Structure structure = graph.structure();
  ASSERT_EQ(structure.levels(), 3U);
  EXPECT_THAT(structure.level(0), testing::ElementsAre(0));
  EXPECT_THAT(structure.level(1), testing::ElementsAre(1));
  EXPECT_THAT(structure.level(2), testing::ElementsAre(2));
}

TEST(DataflowGraph, a_token_may_be_described_before_those_that_write_what_it_reads) {
  Graph graph;
  const auto kernel = graph.kernel("nothing", nothing);
  graph.token("late", kernel).reads("x").writes("y");
  graph.token("early", kernel).writes("x");
  graph.result("y");
  EXPECT_THAT(graph.check(), testing::IsEmpty());
  EXPECT_EQ(graph.structure().token(0).level, 1);
}

TEST(DataflowGraph, two_tokens_that_write_one_stream_are_named) {
  Graph graph = chain();
  graph.token("third", 0).writes("b");
  EXPECT_EQ(refusal(graph),
            "tokens \"first\" and \"third\" both write stream \"b\": let one of them write another");
}

TEST(DataflowGraph, a_token_that_writes_an_initial_stream_is_named) {
  Graph graph = chain();
  graph.token("third", 0).writes("a");
  EXPECT_EQ(refusal(graph),
            "stream \"a\" is an initial one, and token \"third\" writes it: write another one");
}

TEST(DataflowGraph, a_stream_that_nobody_writes_is_named_with_its_reader) {
  Graph graph = chain();
  graph.token("third", 0).reads("nowhere").writes("d");
  EXPECT_EQ(
      refusal(graph),
      "token \"third\" reads stream \"nowhere\", which no token writes: let one write it, or name it by "
      "initial()");
}

TEST(DataflowGraph, a_result_that_nobody_writes_is_named) {
  Graph graph = chain();
  graph.result("nowhere");
  EXPECT_EQ(
      refusal(graph),
      "stream \"nowhere\" is a result, and no token writes it: let one write it, or take it out of the results");
}

TEST(DataflowGraph, a_circle_of_tokens_is_named_and_not_who_waits_behind_it) {
  Graph graph;
  const auto kernel = graph.kernel("nothing", nothing);
  graph.token("before", kernel).writes("s");
  graph.token("p", kernel).reads("s").reads("z").writes("x");
  graph.token("q", kernel).reads("x").writes("y");
  graph.token("r", kernel).reads("y").writes("z");
  graph.token("behind", kernel).reads("z").writes("end");
  graph.result("end");
  EXPECT_THAT(refusal(graph),
              testing::MatchesRegex("the tokens (\"p\" -> \"q\" -> \"r\" -> \"p\"|\"q\" -> \"r\" -> "
                                    "\"p\" -> \"q\"|\"r\" -> \"p\" -> \"q\" -> \"r\") wait for each "
                                    "other: let one of them read another stream"));
}

TEST(DataflowGraph, a_token_that_reads_what_it_writes_is_a_circle) {
  Graph graph;
  graph.token("narcissus", graph.kernel("nothing", nothing)).reads("x").writes("x");
  EXPECT_EQ(
      refusal(graph),
      "the tokens \"narcissus\" -> \"narcissus\" wait for each other: let one of them read another stream");
}

TEST(DataflowGraph, two_tokens_of_one_name_and_a_foreign_kernel_are_refused) {
  Graph graph = chain();
  graph.token("first", 0).writes("d");
  EXPECT_EQ(refusal(graph), "two tokens are called \"first\": give one of them another name");
  Graph other = chain();
  other.token("third", 7).writes("d");
  EXPECT_EQ(refusal(other),
            "token \"third\" has kernel 7 of 1: take one that kernel() of this graph returned");
}

TEST(DataflowGraph, a_stream_that_is_initial_twice_is_named) {
  Graph graph = chain();
  graph.initial("a", no_bytes);
  EXPECT_EQ(refusal(graph), "stream \"a\" is an initial one twice: call initial() once for it");
}

TEST(DataflowGraph, an_empty_function_is_named_with_its_stream_or_kernel) {
  Graph stream = chain();
  stream.initial("d", {});
  EXPECT_EQ(refusal(stream),
            "initial stream \"d\" has an empty function: give initial() one that returns its bytes");
  Graph kernel = chain();
  kernel.kernel("idle", {});
  EXPECT_EQ(refusal(kernel), "kernel \"idle\" has an empty function: give kernel() one that computes");
}

TEST(DataflowGraph, what_nobody_reads_is_told_but_does_no_harm) {
  Graph graph = chain();
  graph.token("third", 0).reads("b").writes("waste");
  EXPECT_THAT(graph.check(), testing::ElementsAre("nobody reads stream \"waste\", and it is no result"));
}

TEST(DataflowGraph, a_digest_tells_graphs_apart_that_differ_in_one_edge_number_or_name) {
  Graph edge = chain();
  edge.token("third", 0).reads("a");
  Graph other_edge = chain();
  other_edge.token("third", 0).reads("b");
  Graph number = chain();
  number.token("third", 0).reads("a").with({1});
  Graph name = chain();
  name.token("fourth", 0).reads("a");
  EXPECT_EQ(chain().digest(), chain().digest());
  const std::set<std::uint64_t> all{chain().digest(), edge.digest(), other_edge.digest(), number.digest(),
                                    name.digest()};
  EXPECT_EQ(all.size(), 5U);
}

}  // namespace
}  // namespace lbsp::dataflow
