#include "tools/command_line/atomic_file.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temporary_folder.hpp"
#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

using test::TemporaryFolder;

using namespace ::testing;

TEST(AtomicFile, appears_when_it_is_committed) {
  const TemporaryFolder folder;
  command_line::AtomicFile file(folder.path() / "c.npy");
  file.write("first, ");
  file.write("second");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "c.npy"));
  file.commit();
  EXPECT_EQ(folder.read("c.npy"), "first, second");
}

TEST(AtomicFile, leaves_the_old_file_and_no_other_when_it_is_not_committed) {
  const TemporaryFolder folder;
  folder.write("c.npy", "old");
  {
    command_line::AtomicFile file(folder.path() / "c.npy");
    file.write("new");
  }
  EXPECT_EQ(folder.read("c.npy"), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, replaces_the_old_file_and_leaves_no_other) {
  const TemporaryFolder folder;
  folder.write("c.npy", "old and longer");
  command_line::AtomicFile file(folder.path() / "c.npy");
  file.write("new");
  file.commit();
  EXPECT_EQ(folder.read("c.npy"), "new");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, leaves_nothing_behind_however_the_process_ends) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    command_line::AtomicFile file(folder.path() / "c.npy");
    file.write("new");
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.files(), 0U);
}

TEST(AtomicFile, replaces_what_a_symbolic_link_names_and_keeps_the_link) {
  const TemporaryFolder folder;
  const auto link = folder.path() / "link";
  std::filesystem::create_symlink("target", link);
  for (const char* text : {"first", "second"}) {
    command_line::AtomicFile file(link);
    file.write(text);
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(folder.read("target"), text);
  }
  EXPECT_EQ(folder.files(), 2U);
}

TEST(AtomicFile, says_at_once_that_the_folder_is_not_there) {
  EXPECT_THAT([] { command_line::AtomicFile file("/nowhere/at/all/c.npy"); },
              ThrowsMessage<UsageError>(HasSubstr("/nowhere/at/all/c.npy: No such file or directory: give")));
}

TEST(AtomicFile, may_have_the_longest_name_there_is_and_says_at_once_that_one_is_longer) {
  const TemporaryFolder folder;
  constexpr std::size_t longest = 255;
  command_line::AtomicFile file(folder.path() / std::string(longest, 'n'));
  file.commit();
  EXPECT_TRUE(std::filesystem::exists(folder.path() / std::string(longest, 'n')));
  EXPECT_THROW(command_line::AtomicFile(folder.path() / std::string(longest + 1, 'n')), UsageError);
}

TEST(AtomicFile, replaces_no_device_and_no_folder) {
  const TemporaryFolder folder;
  EXPECT_THAT([] { command_line::AtomicFile file("/dev/null"); },
              ThrowsMessage<UsageError>(HasSubstr("/dev/null: it is not a regular file")));
  EXPECT_THROW(command_line::AtomicFile file(folder.path()), UsageError);
}

}  // namespace
}  // namespace lbsp::programs
