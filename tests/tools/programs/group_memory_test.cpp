#include "tools/programs/group_memory.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace lbsp::programs {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// As the system shows them.
class Groups {
 public:
  void set(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  double left_to(const std::string& groups) const { return memory_left_by_groups(groups, folder_.path()); }

 private:
  test::TemporaryFolder folder_;
};

TEST(GroupMemory, is_without_bound_where_no_group_has_a_limit) {
  const Groups groups;
  EXPECT_EQ(groups.left_to(""), no_limit);
  EXPECT_EQ(groups.left_to("0::/user/session\n"), no_limit);
  groups.set("user/memory.max", "max");
  groups.set("user/memory.current", "1000");
  EXPECT_EQ(groups.left_to("0::/user/session\n"), no_limit);
}

TEST(GroupMemory, is_what_the_narrowest_of_the_groups_leaves) {
  const Groups groups;
  groups.set("job/memory.max", "5000");
  groups.set("job/memory.current", "1000");
  groups.set("job/step/memory.max", "7000");
  groups.set("job/step/memory.current", "500");
  EXPECT_EQ(groups.left_to("0::/job/step\n"), 4000);
  groups.set("job/step/memory.max", "2500");
  EXPECT_EQ(groups.left_to("1:cpu:/other\n0::/job/step\n"), 2000);
}

TEST(GroupMemory, counts_files_that_can_be_read_again_as_left) {
  const Groups groups;
  groups.set("memory.max", "5000");
  groups.set("memory.current", "4900");
  groups.set("memory.stat", "anon 900\ninactive_file 3000\nactive_file 1000");
  EXPECT_EQ(groups.left_to("0::/\n"), 3100);
  EXPECT_EQ(groups.left_to("0::/called/so/outside\n"), 3100);
  groups.set("memory.current", "9000");
  EXPECT_EQ(groups.left_to("0::/\n"), 0);
}

TEST(GroupMemory, is_known_of_the_first_version_of_groups_too) {
  const Groups groups;
  groups.set("memory/job/memory.limit_in_bytes", "5000");
  groups.set("memory/job/memory.usage_in_bytes", "3000");
  groups.set("memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 500");
  EXPECT_EQ(groups.left_to("4:memory:/job\n3:cpuset:/\n0::/\n"), 2500);
}

}  // namespace
}  // namespace lbsp::programs
