#pragma once

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/run_ranks.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/programs/npy.hpp"
#include "tools/programs/outcome.hpp"

namespace lbsp::programs {

using test::TemporaryFolder;

/// A suite of a ready program's job over all backends.
class ProgramJob : public test::OverBackends {
 protected:
  /// What rank 0 says; checks what the world was told of the answer, and that the others say nothing.
  template <class Job, class Arguments>
  Outcome run_job(Rank ranks, Job job, const Arguments& arguments, std::optional<bool> expect_verified) {
    Outcome said;
    run_ranks(ranks, [&](World& world) {
      const Outcome outcome = job(world, arguments);
      if (world.rank() == 0) {
        said = outcome;
        EXPECT_EQ(world.verified(), expect_verified);
      } else {
        EXPECT_EQ(outcome.summary + outcome.refutation, "");
      }
    });
    return said;
  }

  template <class T>
  std::string save(const char* name, const std::vector<std::size_t>& shape, const std::vector<T>& values) {
    command_line::AtomicFile file(folder_.path() / name);
    write_npy<T>(file, shape, values);
    file.commit();
    return folder_.path() / name;
  }

  std::string path(const char* name) const { return folder_.path() / name; }

  TemporaryFolder folder_;
};

}  // namespace lbsp::programs
