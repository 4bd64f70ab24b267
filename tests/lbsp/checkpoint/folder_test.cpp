#include "lbsp/checkpoint/folder.hpp"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string_view>
#include <sys/stat.h>

#include "lbsp/checkpoint/folder_lock.hpp"
#include "tests/support/temporary_folder.hpp"
#include "transport/error.hpp"

namespace lbsp::checkpoint {
namespace {

namespace fs = std::filesystem;

Bytes state_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class StatesInAFolder : public ::testing::Test {
 protected:
  fs::path file(const std::string& name) const { return path / name; }
  void write(std::uint64_t generation, std::uint64_t serial, Rank rank, std::string_view text) const {
    folder.write({.place = {generation, serial}, .number = 70, .rank = rank, .ranks = 4}, state_of(text));
  }

  const test::TemporaryFolder files;
  const fs::path path = files.path();
  const Folder folder{path};
};

TEST_F(StatesInAFolder, are_there_again) {
  write(2, 5, 3, "warm");
  const auto state = folder.read({2, 5}, 3);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->bytes, state_of("warm"));
  EXPECT_EQ(state->what.number, 70U);
  EXPECT_EQ(state->what.ranks, 4);
  EXPECT_EQ(folder.of_rank(3), (std::vector<Place>{{2, 5}}));
  EXPECT_TRUE(folder.of_rank(2).empty());
  EXPECT_FALSE(folder.read({2, 6}, 3));
  EXPECT_FALSE(folder.read({2, 5}, 1));
}

TEST_F(StatesInAFolder, say_whose_they_are_by_the_first_letters_of_a_long_name) {
  for (const std::string& name :
       {std::string("warm"), std::string(), std::string(64, 'w'), std::string(70, 'w')}) {
    folder.write({.place = {1, 1}, .program = program_name(name)}, {});
    EXPECT_EQ(text_of(folder.read({1, 1}, 0)->what.program), name.substr(0, 64));
  }
}

TEST_F(StatesInAFolder, may_be_empty) {
  write(0, 1, 0, "");
  ASSERT_TRUE(folder.read({0, 1}, 0));
  EXPECT_TRUE(folder.read({0, 1}, 0)->bytes.empty());
}

TEST_F(StatesInAFolder, whose_bytes_have_changed_or_are_missing_are_not_taken) {
  write(0, 1, 0, "warm");
  const std::string name = file("state-0-1.0");
  for (std::size_t at = 0; at < 68; ++at) {
    std::fstream stream(name, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(at));
    const auto byte = static_cast<char>(stream.get());
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(static_cast<char>(byte ^ 4)).flush();
    EXPECT_FALSE(folder.read({0, 1}, 0)) << at;
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(byte).flush();
    EXPECT_TRUE(folder.read({0, 1}, 0)) << at;
  }
  for (std::uintmax_t length = 0; length < 68; ++length) {
    write(0, 1, 0, "warm");
    fs::resize_file(name, length);
    EXPECT_FALSE(folder.read({0, 1}, 0)) << length;
  }
}

TEST_F(StatesInAFolder, of_a_world_that_cannot_be_are_not_taken) {
  for (const Rank ranks : {-1, 0, 1, 65'536, 2'147'483'647}) {
    folder.write({.place = {0, 1}, .number = 70, .rank = 1, .ranks = ranks}, state_of("warm"));
    EXPECT_FALSE(folder.read({0, 1}, 1)) << ranks;
  }
}

TEST_F(StatesInAFolder, that_were_not_written_to_their_end_do_not_count) {
  write(0, 1, 0, "warm");
  fs::rename(file("state-0-1.0"), file("state-0-2.0.new"));
  EXPECT_TRUE(folder.of_rank(0).empty());
  folder.remove_before({0, 3});
  EXPECT_TRUE(fs::is_empty(path));
}

TEST_F(StatesInAFolder, are_removed_when_there_are_later_ones_and_nothing_else_is) {
  for (const Rank rank : {0, 1}) {
    write(0, 9, rank, "old");
    write(1, 2, rank, "before");
    write(1, 3, rank, "now");
  }
  std::ofstream(file("state-0-1.notes")) << "mine";
  folder.remove_before({1, 3});
  EXPECT_EQ(folder.of_rank(0), (std::vector<Place>{{1, 3}}));
  EXPECT_EQ(folder.of_rank(1), (std::vector<Place>{{1, 3}}));
  EXPECT_TRUE(fs::exists(file("state-0-1.notes")));
}

TEST_F(StatesInAFolder, need_a_folder) {
  std::ofstream(file("plain")) << "no folder";
  try {
    Folder::make(file("plain"));
    FAIL() << "a file is no folder";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                testing::EndsWith("/plain: that is no folder: give a folder that can be written"));
  }
  try {
    Folder::make(file("plain") / "in");
    FAIL() << "there is such a folder";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("/plain/in: Not a directory: give a folder that can be written"));
  }
  EXPECT_NO_THROW(Folder::make(file("new")));
  EXPECT_TRUE(fs::is_directory(file("new")));
  EXPECT_NO_THROW(Folder::make(file("new"))) << "another rank of this host has made it";
  EXPECT_NO_THROW(Folder::make(file("other") / ""));
  EXPECT_TRUE(fs::is_directory(file("other")));
}

TEST_F(StatesInAFolder, make_no_folders_that_lead_there_as_the_path_may_be_mistyped) {
  try {
    Folder::make(file("tpm") / "states");
    FAIL() << "it was made";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/tpm: make it, or give a folder in one that is there"));
  }
  EXPECT_FALSE(fs::exists(file("tpm")));
}

TEST_F(StatesInAFolder, are_none_where_there_is_no_folder_which_is_not_made) {
  EXPECT_TRUE(Folder(file("mistyped")).of_rank(0).empty());
  EXPECT_FALSE(fs::exists(file("mistyped")));
}

TEST_F(StatesInAFolder, are_not_waited_for_where_a_pipe_has_the_name_of_one) {
  ASSERT_EQ(::mkfifo(file("state-0-1.0").c_str(), 0600), 0);
  EXPECT_FALSE(folder.read({0, 1}, 0));
}

TEST_F(StatesInAFolder, that_were_being_written_when_a_process_ended_are_removed_by_its_successor) {
  write(0, 1, 0, "warm");
  std::ofstream(file("state-0-2.0.new")) << "half";
  std::ofstream(file("state-0-2.1.new")) << "another's";
  folder.remove_unfinished(0);
  EXPECT_FALSE(fs::exists(file("state-0-2.0.new")));
  EXPECT_TRUE(fs::exists(file("state-0-2.1.new")));
  EXPECT_TRUE(folder.read({0, 1}, 0));
}

TEST_F(StatesInAFolder, belong_to_one_job_at_a_time) {
  {
    const FolderLock first(path, 0);
    EXPECT_NO_THROW(FolderLock(path, 1));
    EXPECT_THROW(FolderLock(path, 0), UsageError);
  }
  EXPECT_TRUE(fs::is_empty(path));
  EXPECT_NO_THROW(FolderLock(path, 0));
}

}  // namespace
}  // namespace lbsp::checkpoint
