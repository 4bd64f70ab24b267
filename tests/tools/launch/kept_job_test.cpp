// What is kept of a job whose lbsp run may die.
#include "tools/launch/doors/kept_job.hpp"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/launch/doors/handed_files.hpp"
#include "transport/error.hpp"

namespace lbsp::test {
namespace {

using testing::ExitedWithCode;

/// In a child, as this redirects the process's own output: whether `holds` does of the job that is kept.
template <class Holds>
void expect_of_kept_job(Holds holds) {
  EXPECT_EXIT(
      {
        launch::doors::KeptJob kept(::getpid());
        ::close(kept.take_over());
        const bool held = holds(kept);
        launch::doors::remove_files(launch::doors::KeptFiles(::getpid()));
        ::_exit(held ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

constexpr std::size_t megabyte = std::size_t{1} << 20;

/// All that may be kept, as a rank would.
bool write_most(launch::doors::KeptJob& kept) {
  const std::string piece(megabyte, 'x');
  for (std::size_t bytes = 0; bytes < launch::doors::KeptJob::most_output; bytes += megabyte) {
    if (!kept.takes(megabyte) ||
        ::write(STDOUT_FILENO, piece.data(), megabyte) != static_cast<ssize_t>(megabyte))
      return false;
  }
  return true;
}

TEST(KeptJob, keeps_output_within_a_bound) {
  expect_of_kept_job([](launch::doors::KeptJob& kept) {
    return write_most(kept) && !kept.takes(1) &&
           kept.loss().starts_with("1 bytes that the ranks wrote after ");
  });
}

TEST(KeptJob, has_room_again_for_what_was_read) {
  expect_of_kept_job([](launch::doors::KeptJob& kept) {
    if (!write_most(kept)) return false;
    ::fallocate(STDOUT_FILENO, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 10 * megabyte);
    return kept.takes(9 * megabyte);
  });
}

TEST(KeptJob, says_how_it_ended_and_what_is_lost) {
  expect_of_kept_job([](launch::doors::KeptJob& kept) {
    const launch::doors::KeptFiles files(::getpid());
    kept.disk_is_full();
    const bool takes = kept.takes(7);
    kept.lose(35);
    kept.end(137, "rank 1 is gone\nand more");
    const auto end = launch::doors::kept_end(files.code);
    return !takes && end && end->code == 137 &&
           end->loss.starts_with("42 bytes that the job wrote are lost") &&
           end->last.starts_with("rank 1 is gone") && end->last.ends_with("and more");
  });
}

TEST(KeptJob, has_a_folder_only_at_its_end) {
  expect_of_kept_job([](launch::doors::KeptJob& kept) {
    const std::string folder = launch::doors::KeptFiles(::getpid()).folder;
    if (std::filesystem::exists(folder)) return false;
    kept.end(0, "");
    return std::filesystem::exists(folder);
  });
}

TEST(KeptJob, hands_its_files_over_while_it_lasts) {
  expect_of_kept_job([](launch::doors::KeptJob& kept) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    kept.admit(ends[0]);
    const launch::doors::HandedFiles handed(ends[1]);
    const auto files = handed.files();
    if (!files || launch::doors::kept_end(files->code)) return false;
    kept.end(3, "");
    return handed.keeper_lives() && launch::doors::kept_end(files->code)->code == 3 &&
           handed.folder() == launch::doors::KeptFiles(::getpid()).folder;
  });
}

TEST(KeptJob, removes_the_folders_that_killed_processes_were_filling) {
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const std::filesystem::path own = launch::doors::KeptFiles(::getpid()).folder;
  const std::filesystem::path left = own.parent_path() / ("new-" + std::to_string(dead));
  // Others may use the folder of all at this moment: want it to be for this user only, or remove it.
  do {
    ::mkdir(left.parent_path().c_str(), 0700);
  } while (::mkdir(left.c_str(), 0700) != 0 && errno == ENOENT);
  expect_of_kept_job([](launch::doors::KeptJob& kept) {
    kept.end(0, "");
    return true;
  });
  EXPECT_FALSE(std::filesystem::exists(left));
}

/// In a child: as a process that may open two files more.
bool is_refused_without_files() {
  const int next = ::dup(STDOUT_FILENO);
  rlimit few{};
  few.rlim_cur = few.rlim_max = static_cast<rlim_t>(next) + 2;
  ::setrlimit(RLIMIT_NOFILE, &few);
  try {
    const launch::doors::KeptJob kept(::getpid());
    return false;
  } catch (const UsageError& error) {
    return std::string(error.what()).find("ulimit -n") != std::string::npos;
  }
}

TEST(KeptJob, leaves_nothing_where_too_few_files_may_be_open) {
  EXPECT_EXIT(
      {
        const bool refused = is_refused_without_files();
        ::_exit(refused && !std::filesystem::exists(launch::doors::KeptFiles(::getpid()).folder) ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lbsp::test
