#include "tools/launch/request/allocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "tests/support/temporary_folder.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::request {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The environment that has these variables and no others.
Environment environment(const std::map<std::string, std::string>& variables) {
  return [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

TEST(Allocation, is_none_outside_of_a_batch_system) {
  EXPECT_FALSE(allocation_in(environment({})));
  EXPECT_FALSE(allocation_in(environment({{"SLURM_JOB_NODELIST", ""}, {"PBS_NODEFILE", ""}})));
}

TEST(Allocation, has_a_slot_for_each_task_of_a_slurm_job) {
  const std::map<std::string, std::string> variables = {
      {"SLURM_JOB_ID", "17"}, {"SLURM_JOB_NODELIST", "n[1-2],big"}, {"SLURM_TASKS_PER_NODE", "2(x2),8"}};
  const auto allocation = allocation_in(environment(variables));
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->name, "the Slurm job 17");
  ASSERT_EQ(allocation->hosts.size(), 3U);
  EXPECT_EQ(allocation->hosts[1].name, "n2");
  EXPECT_EQ(allocation->hosts[1].slots, 2);
  EXPECT_EQ(allocation->hosts[2].slots, 8);
  EXPECT_EQ(allocation->agent.front(), "srun");
  EXPECT_THAT(allocation->agent, testing::Contains("--cpus-per-task=8"));
}

TEST(Allocation, has_a_slot_for_each_processor_of_a_slurm_job_that_asked_for_no_tasks) {
  const std::map<std::string, std::string> variables = {{"SLURM_JOB_NODELIST", "a,b"},
                                                        {"SLURM_JOB_CPUS_PER_NODE", "4(x2)"}};
  const auto allocation = allocation_in(environment(variables));
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->hosts[1].slots, 4);
}

TEST(Allocation, has_a_slot_for_each_line_of_a_pbs_job) {
  const test::TemporaryFolder folder;
  const std::map<std::string, std::string> variables = {{"PBS_NODEFILE", folder.write("nodes", "a\nb\na\n")}};
  const auto allocation = allocation_in(environment(variables));
  ASSERT_TRUE(allocation);
  ASSERT_EQ(allocation->hosts.size(), 2U);
  EXPECT_EQ(allocation->hosts[0].name, "a");
  EXPECT_EQ(allocation->hosts[0].slots, 2);
  EXPECT_EQ(allocation->hosts[1].slots, 1);
  EXPECT_THAT(allocation->agent, IsEmpty());
}

TEST(Allocation, that_cannot_be_understood_is_refused_with_what_to_do) {
  const std::map<std::string, std::string> more_counts = {{"SLURM_JOB_NODELIST", "a,b"},
                                                          {"SLURM_TASKS_PER_NODE", "1(x3)"}};
  const std::map<std::string, std::string> no_file = {{"PBS_NODEFILE", "/nonexistent/nodes"}};
  EXPECT_THROW(allocation_in(environment(no_file)), UsageError);
  try {
    allocation_in(environment(more_counts));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"1(x3)\" cannot be read: name the hosts with --hosts FILE"));
  }
}

TEST(HostList, is_expanded_as_slurm_means_it) {
  EXPECT_THAT(expand_host_list("a"), ElementsAre("a"));
  EXPECT_THAT(expand_host_list("a[1-3,08],b"), ElementsAre("a1", "a2", "a3", "a08", "b"));
  EXPECT_THAT(expand_host_list("r[0-1]n[08-09].x"), ElementsAre("r0n08.x", "r0n09.x", "r1n08.x", "r1n09.x"));
}

TEST(HostList, that_is_broken_is_refused) {
  for (const char* list : {"", ",", "a,,b", "a[1-3", "a]1[", "a[]", "a[3-1]", "a[x]", "a[1-]", "a[-1]",
                           "a[[1]]", "a[1-99999999]", "a[1-300]b[1-300]"})
    EXPECT_THROW(expand_host_list(list), UsageError) << list;
}

TEST(Counts, are_expanded_as_slurm_means_them) {
  EXPECT_THAT(expand_counts("2(x3),1"), ElementsAre(2, 2, 2, 1));
  for (const char* list : {"", "0", "-1", "2(x3", "2(x)", "2(3)", "a", "1(x99999999)"})
    EXPECT_THROW(expand_counts(list), UsageError) << list;
}

}  // namespace
}  // namespace lbsp::launch::request
