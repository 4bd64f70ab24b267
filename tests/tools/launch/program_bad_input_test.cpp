// What a user can give the ready programs that is wrong: one line, not 0, soon.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/sanitized.hpp"
#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

void expect_refused(const std::vector<std::string>& words, const std::string& part) {
  SCOPED_TRACE(part);
  const auto outcome = Command(lbsp_run(words)).wait(std::chrono::seconds{30});
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: "));
  EXPECT_THAT(outcome.errors, HasSubstr(part));
  EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1) << outcome.errors;
}

/// A .npy file of float64 whose data are a hole in the file.
std::string sparse_grid(const TemporaryFolder& folder, std::uintmax_t side) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(side) + ", " +
                       std::to_string(side) + "), }";
  header.resize(117, ' ');
  header += '\n';
  const std::string head =
      std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header;
  const auto path = folder.write("huge.npy", head);
  std::filesystem::resize_file(path, head.size() + side * side * sizeof(double));
  return path;
}

TEST(ProgramBadInput, is_refused_in_one_line) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text.npy", "no array");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"-n", "3", "--", "matmul", "--size", "8"}, "of 3 ranks: start 1 or 4"},
      {{"-n", "4", "--", "matmul", "--size", "8", "--memory", "1B"}, "and 1B are allowed"},
      {{"-n", "2", "--", "fft2d", "--in", "/no/such/grid.npy"}, "there is no such file"},
      {{"-n", "2", "--", "fft2d", "--in", text}, "it is no NumPy .npy file"},
      {{"-n", "2", "--", "fft2d", "--size", "0"}, "--size"},
      {{"-n", "2", "--", "fft2d", "--size", "8", "--out", "/no/such/folder/x.npy"}, "cannot write"},
      {{"-n", "2", "--", "jacobi", "--boundary", "top=hot"}, "--boundary hot"},
      {{"-n", "2", "--", "jacobi", "--initial", text}, "it is no NumPy .npy file"},
      {{"-n", "2", "--", "jacobi", "--tolerance", "nan"}, "--tolerance"},
  };
  for (const auto& [words, part] : cases)
    expect_refused(words, part);
}

/// All that --help lists, in the order of the list.
std::vector<std::string> options_of(const std::vector<std::string>& command) {
  std::istringstream help(Command(command).wait().output);
  std::vector<std::string> found;
  for (std::string line; std::getline(help, line);)
    if (line.starts_with("  -") && !line.starts_with("  -h"))
      found.push_back(line.substr(2, line.find(' ', 2) - 2));
  return found;
}

TEST(ProgramBadInput, such_as_an_option_of_lbsp_run_behind_the_program_is_told_where_it_belongs) {
  const auto of_run = options_of({built("lbsp"), "run", "--help"});
  EXPECT_GT(of_run.size(), 25U);
  for (const char* program : {"matmul", "bitonic_sort", "fft2d", "jacobi", "dataflow"}) {
    const auto own = options_of({built(program), "--help"});
    for (const std::string& option : of_run) {
      if (std::ranges::find(own, option) != own.end()) continue;
      const auto outcome = Command({built(program), option}).wait();
      EXPECT_THAT(outcome.errors,
                  HasSubstr(std::string(program) + ": " + option + " is an option of lbsp run: "));
    }
  }
  expect_refused(
      {"-n", "2", "--", "matmul", "--size", "64", "--wan", "loss=5%"},
      "matmul: --wan is an option of lbsp run: give it before the program: lbsp run --wan … -- matmul");
}

TEST(ProgramBadInput, that_shows_only_after_some_supersteps_is_one_line_after_the_report) {
  const auto outcome = Command(lbsp_run({"-n", "2", "--", "jacobi", "--size", "9", "--boundary",
                                         "top=1.7e308,left=1.7e308,right=1.7e308"}))
                           .wait(std::chrono::seconds{30});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: jacobi on 2 ranks over shared-memory, NOT FINISHED\n"));
  const auto last = outcome.errors.rfind('\n', outcome.errors.size() - 2);
  EXPECT_THAT(outcome.errors.substr(last + 1), StartsWith("lbsp: rank "));
  EXPECT_THAT(outcome.errors.substr(last + 1), HasSubstr("the grid is not finite"));
}

TEST(ProgramBadInput, such_as_a_file_or_a_size_beyond_all_memory_is_refused) {
  if (sanitized) GTEST_SKIP() << "a sanitizer ends the program where an allocation is to fail";
  const TemporaryFolder folder;
  std::string huge;
  try {
    huge = sparse_grid(folder, 900'000);  // 6.5 TB
  } catch (const std::filesystem::filesystem_error& error) {
    GTEST_SKIP() << "no such large file can be made here: " << error.what();
  }
  expect_refused({"-n", "2", "--", "fft2d", "--in", huge}, "it does not fit in this machine's memory");
  expect_refused({"-n", "2", "--", "jacobi", "--initial", huge}, "it does not fit in this machine's memory");
  expect_refused({"-n", "2", "--", "fft2d", "--size", "1000000"},
                 "one rank's part of a grid of 1000000x1000000 would take ");
}

/// Each part would be there, and all together are not.
TEST(ProgramBadInput, such_as_more_than_the_memory_of_the_host_of_all_ranks_is_refused) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (word != "MemAvailable:")
    ASSERT_TRUE(file >> word);
  double kibibytes = 0;
  file >> kibibytes;
  const double half_more = 1.5 * 1024 * kibibytes;
  const auto side = [&](double bytes_each) {
    return std::to_string(static_cast<std::uint64_t>(std::sqrt(half_more / bytes_each)));
  };
  const std::string keys = std::to_string(static_cast<std::uint64_t>(half_more / 32));
  for (const auto& program : std::vector<std::vector<std::string>>{{"matmul", "--size", side(24)},
                                                                   {"jacobi", "--size", side(16)},
                                                                   {"fft2d", "--size", side(32)},
                                                                   {"bitonic_sort", "--size", keys}}) {
    for (const char* backend : {"udp", "threads"}) {
      SCOPED_TRACE(program.front() + " " + backend);
      // Should one take it all the same, it gets no more than this.
      std::vector<std::string> words = {"sh", "-c", "ulimit -v 4000000; exec \"$@\"", "sh"};
      for (const auto& word_of_job : lbsp_run({"-n", "4", "--backend", backend, "--"}))
        words.push_back(word_of_job);
      words.insert(words.end(), program.begin(), program.end());
      const auto outcome = Command(words).wait(std::chrono::seconds{30});
      EXPECT_EQ(outcome.code, 1);
      EXPECT_THAT(reason_in(outcome),
                  AllOf(HasSubstr("what 4 ranks on one host have of "), HasSubstr(" would take ")));
    }
  }
}

TEST(ProgramBadInput, such_as_more_ranks_than_rows_is_none) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"-n", "5", "--", "fft2d", "--rows", "3", "--columns", "2"},
           {"-n", "5", "--", "jacobi", "--rows", "3", "--columns", "4"},
           {"-n", "4", "--", "matmul", "--size", "1", "--algorithm", "fox"}}) {
    const auto outcome = Command(lbsp_run(words)).wait(std::chrono::seconds{30});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.output, HasSubstr(", verified\n"));
  }
}

// OpenBLAS itself would look for room for ever.
TEST(ProgramBadInput, such_as_no_room_for_the_buffers_of_the_product_ends_soon) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  const std::vector<std::vector<std::string>> commands = {{built("matmul")}, lbsp_run({"--", "matmul"})};
  for (const auto& command : commands) {
    std::vector<std::string> words = {"sh", "-c", "ulimit -v 180000; exec \"$@\"", "sh"};
    words.insert(words.end(), command.begin(), command.end());
    words.insert(words.end(), {"--size", "64"});
    const auto outcome = Command(words).wait(std::chrono::seconds{30});
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("no memory for the buffers of OpenBLAS"));
  }
}

// It starts its threads when it is loaded, and sends itself SIGINT if it cannot.
TEST(ProgramBadInput, such_as_no_room_for_the_threads_of_the_product_is_not_put_down_to_an_interrupt) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "it starts none for one processor";
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  std::vector<std::string> words = {"sh", "-c", "ulimit -v 60000; exec \"$@\"", "sh"};
  const auto job = lbsp_run({"--", "matmul", "--size", "64"});
  words.insert(words.end(), job.begin(), job.end());
  const auto outcome = Command(words, {.input = {}, .environment = {{"OPENBLAS_NUM_THREADS", "4"}}}).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              HasSubstr("lbsp: rank 0 on localhost was ended by its OpenBLAS, which could not start"));
  EXPECT_THAT(outcome.errors, HasSubstr("raise the limits of memory"));
}

// Threads that find room at the same time may find the same.
TEST(ProgramBadInput, such_as_too_little_room_for_the_buffers_of_all_threads_ends_soon) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  const auto job = lbsp_run({"-n", "4", "--backend", "threads", "--", "matmul", "--size", "1200"});
  for (int limit = 500'000; limit <= 900'000; limit += 50'000) {
    std::vector<std::string> words = {"sh", "-c", "ulimit -v " + std::to_string(limit) + "; exec \"$@\"",
                                      "sh"};
    words.insert(words.end(), job.begin(), job.end());
    const auto outcome = Command(words).wait(std::chrono::seconds{30});
    EXPECT_FALSE(outcome.timed_out) << limit;
    if (outcome.code == 0) continue;
    EXPECT_THAT(outcome.errors, HasSubstr("memory")) << limit;
  }
}

}  // namespace
}  // namespace lbsp::test
