#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "tests/lbsp/lasting_job.hpp"
#include "tests/support/temporary_folder.hpp"

namespace lbsp::lasting {
namespace {

using namespace std::chrono_literals;

class StatesOnDisk : public ::testing::Test {
 protected:
  /// A job that keeps its states in the folder, and ends when rank 0 has said so much.
  void end_job_after(const LastingJob& like, LastingWorlds::Plan plan, std::uint64_t datagrams) const {
    LastingJob job = like;
    plan.dies_after = {datagrams};
    plan.checkpoint = folder;
    LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
    EXPECT_TRUE(worlds.run(120s)) << "hangs";
  }
  /// What rank `slot` of this job, which does not come to its end, says.
  static std::string error_of(const LastingWorlds::Plan& plan, Slot slot) {
    LastingJob job;
    LastingWorlds worlds(plan, [&](World& world, Slot own) { job.run(world, own); });
    EXPECT_TRUE(worlds.run(120s)) << "hangs";
    return worlds.error(slot);
  }
  bool is_empty() const { return std::filesystem::is_empty(folder); }

  const test::TemporaryFolder files;
  const std::string folder = files.path();
};

TEST_F(StatesOnDisk, are_gone_on_from_whenever_the_job_has_ended) {
  std::uint64_t restarts = 0;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      std::filesystem::remove(entry);
    const LastingJob job{.every = 4};
    LastingWorlds::Plan plan{.size = 4, .loss = 0.05, .seed = seed, .outlives_ranks = false};
    end_job_after(job, plan, 11 * seed);
    if (is_empty()) continue;
    plan.restart = folder;
    end_job_after(job, plan, 7 * seed);
    plan.checkpoint = folder;
    plan.size = static_cast<Slot>(1 + seed % 4);
    EXPECT_GT(expect_survival(job, plan).first, 0U);
    ++restarts;
  }
  EXPECT_GT(restarts, 15U);
}

TEST_F(StatesOnDisk, are_two_of_each_rank_at_most_when_the_job_is_over) {
  for (const std::uint64_t every : {1U, 2U, 10U}) {
    for (const bool outlives : {false, true}) {
      SCOPED_TRACE(every);
      const test::TemporaryFolder own;
      const std::string path = own.path();
      LastingJob job{.steps = 100, .every = every};
      const LastingWorlds::Plan plan{.size = 4, .outlives_ranks = outlives, .checkpoint = path};
      LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
      EXPECT_TRUE(worlds.run(120s)) << "hangs";
      EXPECT_LE(std::ranges::count_if(std::filesystem::directory_iterator(path),
                                      [](const auto& entry) { return entry.is_regular_file(); }),
                2 * 4);
    }
  }
}

TEST_F(StatesOnDisk, are_gone_on_from_after_losses_and_before_others) {
  const LastingJob job{.steps = 120};
  LastingWorlds::Plan plan{.size = 5, .loss = 0.05, .checkpoint = folder};
  {
    // Four go on, until too many are lost at once.
    LastingJob first = job;
    plan.dies_after = {0, 200, 700, 700, 700};
    LastingWorlds worlds(plan, [&](World& world, Slot slot) { first.run(world, slot); });
    EXPECT_TRUE(worlds.run(120s)) << "hangs";
    EXPECT_FALSE(worlds.finished(0));
  }
  plan.restart = folder;
  plan.size = 4;
  plan.dies_after = {0, 0, 1};  // before it has kept anything anew
  EXPECT_GT(expect_survival(job, plan).first, 0U);
}

TEST_F(StatesOnDisk, of_an_earlier_job_are_not_mixed_with_those_of_another) {
  end_job_after({}, {.size = 3, .outlives_ranks = false}, 300);
  ASSERT_FALSE(is_empty());
  EXPECT_NE(error_of({.size = 3, .outlives_ranks = false, .checkpoint = folder}, 1)
                .find("has states of an earlier job"),
            std::string::npos);
}

/// The advice is to be typed as it stands.
TEST_F(StatesOnDisk, in_a_folder_with_a_blank_in_its_name_are_advised_in_quotes) {
  const std::string odd = folder + "/two words";
  {
    LastingJob job;
    LastingWorlds::Plan plan{.size = 2, .dies_after = {300}, .outlives_ranks = false};
    plan.checkpoint = odd;
    LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
    ASSERT_TRUE(worlds.run(120s)) << "hangs";
  }
  EXPECT_NE(error_of({.size = 2, .outlives_ranks = false, .checkpoint = odd}, 1)
                .find(": go on from them with --restart '" + odd + "', or give"),
            std::string::npos);
}

TEST_F(StatesOnDisk, of_fewer_ranks_are_refused) {
  end_job_after({}, {.size = 2, .outlives_ranks = false}, 200);
  EXPECT_NE(error_of({.size = 3, .outlives_ranks = false, .restart = folder}, 0)
                .find("are of 2 ranks, and these are 3: start 2 or fewer"),
            std::string::npos);
}

TEST_F(StatesOnDisk, of_another_program_are_refused) {
  end_job_after({}, {.size = 2, .outlives_ranks = false, .program = "warm"}, 200);
  ASSERT_FALSE(is_empty());
  for (const bool keeps : {false, true}) {
    LastingWorlds::Plan plan{.size = 2, .outlives_ranks = false, .restart = folder, .program = "cold"};
    if (keeps) plan.checkpoint = folder;
    EXPECT_NE(error_of(plan, 0).find(
                  "are those of warm, and this is cold: give --restart the folder of this program's"),
              std::string::npos);
  }
  EXPECT_EQ(error_of({.size = 2, .outlives_ranks = false, .restart = folder, .program = "warm"}, 0), "");
}

TEST_F(StatesOnDisk, that_are_not_there_are_not_begun_with) {
  EXPECT_NE(error_of({.size = 2, .outlives_ranks = false, .restart = folder}, 0)
                .find("has no states that all ranks can begin with"),
            std::string::npos);
}

TEST_F(StatesOnDisk, are_refused_by_the_name_of_the_one_that_is_damaged_or_missing) {
  end_job_after({.every = 4}, {.size = 3, .outlives_ranks = false}, 200);
  // Of each rank the newest alone, which rank 1 has not whole.
  std::string newest;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (const std::string name = file.path().filename(); name.ends_with(".1"))
      newest = std::max(newest, name);
  ASSERT_FALSE(newest.empty());
  const std::string of_all = newest.substr(0, newest.size() - 1);
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (!file.path().filename().string().starts_with(of_all)) std::filesystem::remove(file);
  const std::string file = folder + "/" + newest;
  const std::string refusal = "the newest state of rank 1, " + file + ", is missing or damaged";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const LastingWorlds::Plan plan{.size = 3, .outlives_ranks = false, .restart = folder};
  for (Slot slot = 0; slot < 3; ++slot)
    EXPECT_NE(error_of(plan, slot).find(refusal), std::string::npos) << error_of(plan, slot);
  std::filesystem::remove(file);
  EXPECT_NE(error_of(plan, 2).find(refusal), std::string::npos) << error_of(plan, 2);
}

TEST_F(StatesOnDisk, of_a_folder_that_is_not_there_are_not_begun_with) {
  const std::string missing = folder + "/none";
  EXPECT_NE(error_of({.size = 2, .outlives_ranks = false, .restart = missing}, 0)
                .find("none: there is no such folder"),
            std::string::npos);
}

TEST_F(StatesOnDisk, need_not_be_there_at_the_first_start_where_they_are_to_be_kept) {
  const LastingWorlds::Plan plan{.size = 3, .outlives_ranks = false, .checkpoint = folder, .restart = folder};
  EXPECT_EQ(expect_survival({}, plan).first, 0U);
  ASSERT_FALSE(is_empty());
  EXPECT_GT(expect_survival({}, plan).first, 0U);
}

TEST_F(StatesOnDisk, that_have_had_more_steps_are_refused) {
  end_job_after({}, {.size = 2, .outlives_ranks = false}, 300);
  LastingJob shorter{.steps = 2};
  const LastingWorlds::Plan plan{.size = 2, .outlives_ranks = false, .restart = folder};
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { shorter.run(world, slot); });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  EXPECT_NE(worlds.error(0).find("the program has no more than 2 steps"), std::string::npos)
      << worlds.error(0);
}

TEST_F(StatesOnDisk, are_for_programs_that_keep_states) {
  const LastingWorlds::Plan plan{.size = 2, .outlives_ranks = false, .checkpoint = folder};
  for (const bool saves : {false, true}) {
    LastingWorlds worlds(plan, [&](World& world, Slot) {
      int state = 0;
      if (!saves) return world.sync();
      for ([[maybe_unused]] const std::uint64_t step : Steps(world, state, 3))
        world.sync();
    });
    EXPECT_TRUE(worlds.run(120s)) << "hangs";
    EXPECT_NE(worlds.error(0).find("--checkpoint and --restart are for programs that keep"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace lbsp::lasting
