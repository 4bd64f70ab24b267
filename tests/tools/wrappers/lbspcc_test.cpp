// lbspcc and lbspc++, as a user calls them.
#include "tests/tools/wrappers/lbspcc.hpp"

#include <filesystem>
#include <gmock/gmock.h>

namespace lbsp::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* hello = R"(#include <bsp.h>
#include <bsp_level1.h>
#include <stdio.h>
int main(void) {
  bsp_begin(bsp_nprocs());
  printf("hello %d\n", (int)bsp_pid());
  bsp_end();
  return 0;
}
)";

TEST_F(Lbspcc, builds_c89_c99_and_cxx_without_a_warning) {
  folder_.write("hello.c", hello);
  folder_.write("hello.cpp", hello);
  const std::vector<std::string> strict = {"-Wall", "-Wextra", "-pedantic-errors", "-Werror", "-O2"};
  for (const std::string standard : {"c89", "c99", "c11"}) {
    auto words = strict;
    words.insert(words.end(), {"-std=" + standard, "-o", "prog", "hello.c", "-lm"});
    expect_compiles("lbspcc", words, directory());
    expect_runs("prog", "hello 1");
  }
  auto words = strict;
  words.insert(words.end(), {"-std=c++11", "-o", "prog++", "hello.cpp"});
  expect_compiles("lbspc++", words, directory());
  expect_runs("prog++", "hello 1");
}

TEST_F(Lbspcc, compiles_and_links_apart_and_several_files_at_once) {
  folder_.write("a.c", "int answer(void) { return ANSWER; }\n");
  folder_.write("b.c",
                std::string("int answer(void);\n#define main unused\n") + hello +
                    "#undef main\nint main(void) { bsp_begin(2); if (answer() == 42) puts(\"42 it is\"); "
                    "bsp_end(); return 0; }\n");
  folder_.write("given.h", "#define ANSWER 42\n");
  expect_compiles("lbspcc", {"-c", "-include", "given.h", "a.c", "-o", "x.o"}, directory());
  expect_compiles("lbspcc", {"-c", "b.c"}, directory());
  expect_compiles("lbspcc", {"x.o", "b.o"}, directory());
  expect_runs("a.out", "42 it is");
  expect_compiles("lbspcc", {"-include", "given.h", "-O2", "-std=c99", "-o", "prog", "a.c", "b.c", "-lm"},
                  directory());
  expect_runs("prog", "42 it is");
}

TEST_F(Lbspcc, passes_on_arguments_with_spaces_and_quotes) {
  std::filesystem::create_directory(folder_.path() / "a folder");
  folder_.write("a folder/hello.c", hello);
  expect_compiles("lbspcc", {"-DTEXT=\"it's $HOME\"", "a folder/hello.c", "-o", "a folder/prog"},
                  directory());
  expect_runs("a folder/prog", "hello 1");
}

TEST_F(Lbspcc, shows_a_command_that_a_shell_reads_as_it_is_run) {
  EXPECT_THAT(
      compile("lbspcc", {"--lbsp-show", "-DTEXT=\"it's $HOME\"", "-c", "a folder/hello.c", ""}, directory())
          .output,
      testing::EndsWith(" '-DTEXT=\"it'\\''s $HOME\"' -c 'a folder/hello.c' ''\n"));
}

TEST_F(Lbspcc, adds_no_libraries_where_nothing_is_linked) {
  folder_.write("hello.c", hello);
  EXPECT_THAT(compile("lbspcc", {"--lbsp-show", "-c", "hello.c"}, directory()).output,
              Not(HasSubstr("-llbsp")));
  EXPECT_THAT(compile("lbspcc", {"--lbsp-show", "hello.c"}, directory()).output, HasSubstr("-l:liblbsp.a"));
  folder_.write("header.hpp", "#include <vector>\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"header.hpp", "-o", "header.hpp.gch"},
        {"-x", "c++-header", "header.hpp"},
        {"-xc++-header", "header.hpp"}})
    EXPECT_EQ(compile("lbspc++", words, directory()).code, 0) << words.front();
  EXPECT_EQ(compile("lbspcc", {"-c", "hello.c"}, directory()).code, 0);
  EXPECT_EQ(compile("lbspcc", {"-r", "hello.o", "-o", "whole.o"}, directory()).code, 0);
  EXPECT_THAT(compile("lbspcc", {"-o", "prog"}, directory()).errors, HasSubstr("no input files"));
  EXPECT_EQ(compile("lbspcc", {"-v"}, directory()).code, 0);
  EXPECT_THAT(compile("lbspcc", {"-E", "hello.c"}, directory()).output, HasSubstr("bsp_hpmove"));
}

TEST_F(Lbspcc, fails_as_the_compiler_does) {
  folder_.write("wrong.c", "int main(void) { return nothing; }\n");
  const Outcome outcome = compile("lbspcc", {"wrong.c"}, directory());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("nothing"));
}

TEST_F(Lbspcc, takes_the_language_of_the_source_for_the_source_alone) {
  folder_.write("program", hello);
  expect_compiles("lbspcc", {"-o", "prog", "-x", "c", "program"}, directory());
  expect_runs("prog", "hello 1");
  expect_compiles("lbspc++", {"-xc++", "program", "-o", "prog++"}, directory());
  expect_runs("prog++", "hello 1");
}

TEST_F(Lbspcc, compiles_the_cxx_interface_without_being_told_its_standard) {
  folder_.write("ring.cpp",
                "#include <cstdio>\n#include \"lbsp/coarray.hpp\"\n#include \"lbsp/job/run.hpp\"\n"
                "int main() { return lbsp::run([](lbsp::World& world) { lbsp::Coarray<int> x(world, 1);\n"
                "x((world.rank() + 1) % world.size())[0] = world.rank(); world.sync();\n"
                "std::printf(\"rank %d was told %d\\n\", world.rank(), x[0]); }); }\n");
  expect_compiles("lbspc++", {"-O1", "-o", "ring", "ring.cpp"}, directory());
  expect_runs("ring", "rank 1 was told 0");
}

TEST_F(Lbspcc, checks_indices_unless_ndebug_is_defined) {
  folder_.write("p.cpp", R"(#include "lbsp/coarray.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/queue.hpp"
int main(int count, char**) {
  return lbsp::run([&](lbsp::World& world) {
    const auto index = static_cast<std::size_t>(count);
    lbsp::Coarray<int> x(world, 4);
    lbsp::Queue<int> queue(world);
    world.sync();
    if (count == 5) x[index] = 1;
    if (count == 2) queue[index];
  });
}
)");
  expect_compiles("lbspc++", {"-Wall", "-o", "debug", "p.cpp"}, directory());
  const auto debug = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {directory() + "/debug"};
    all.insert(all.end(), words.begin(), words.end());
    return Command(all).wait();
  };
  EXPECT_EQ(debug({"a", "b", "c", "d"}).errors,
            "lbsp: [5] of 4 elements on rank 0 in superstep 1: keep the index below 4\n");
  EXPECT_EQ(debug({"a"}).errors,
            "lbsp: [2] of 0 messages on rank 0 in superstep 1: keep the index below 0\n");
  EXPECT_EQ(debug({}).code, 0);
  expect_compiles("lbspc++", {"-O2", "-DNDEBUG", "-c", "-o", "release.o", "p.cpp"}, directory());
  EXPECT_THAT(Command({"nm", directory() + "/release.o"}).wait().output, Not(HasSubstr("refuse_index")));
}

TEST_F(Lbspcc, links_programs_without_mpi) {
  folder_.write("hello.c", hello);
  expect_compiles("lbspcc", {"hello.c", "-o", "prog"}, directory());
  for (const std::string& program : {directory() + "/prog", built("lbsp"), built("matmul")}) {
    const Outcome outcome = Command({"ldd", program}).wait();
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("libc.so"), Not(HasSubstr("libmpi")),
                                      Not(HasSubstr("libopen-rte")), Not(HasSubstr("libopen-pal"))));
  }
}

TEST_F(Lbspcc, links_the_algorithms_and_what_they_call_only_into_programs_that_use_them) {
  folder_.write("plain.cpp", hello);
  folder_.write("blocks.cpp", R"(#include <cstdio>
#include "algorithms/matmul.hpp"
#include "lbsp/job/run.hpp"
int main() {
  return lbsp::run([](lbsp::World& world) {
    lbsp::algorithms::BlockMatrix<double> a(world, 2, 2);
    a.fill([](std::size_t, std::size_t) { return 1.; });
    std::printf("product %g\n", lbsp::algorithms::matmul(world, a, a).values[0]);
  });
}
)");
  for (const std::string program : {"plain", "blocks"})
    expect_compiles("lbspc++", {"-O1", "-o", program, program + ".cpp"}, directory());
  EXPECT_THAT(Command({directory() + "/blocks"}).wait().output, HasSubstr("product 2\n"));
  EXPECT_THAT(Command({"ldd", directory() + "/blocks"}).wait().output, HasSubstr("libopenblas"));
  EXPECT_THAT(Command({"ldd", directory() + "/plain"}).wait().output,
              AllOf(Not(HasSubstr("libopenblas")), Not(HasSubstr("libfftw"))));
}

TEST_F(Lbspcc, installed_works_wherever_the_tree_is_moved) {
  folder_.write("hello.c", hello);
  const std::string first = directory() + "/first";
  const std::string moved = directory() + "/moved here";
  ASSERT_EQ(Command({CMAKE_PROGRAM, "--install", BUILD_FOLDER, "--prefix", first}).wait().code, 0);
  std::filesystem::rename(first, moved);
  const Outcome compiled =
      Command({moved + "/bin/lbspcc", "hello.c", "-o", directory() + "/prog"}, {.directory = directory()})
          .wait();
  EXPECT_EQ(compiled.code, 0) << compiled.errors;
  const Outcome outcome = Command({moved + "/bin/lbsp", "run", "-n", "2", directory() + "/prog"}).wait();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("hello 1"));
}

}  // namespace
}  // namespace lbsp::test
