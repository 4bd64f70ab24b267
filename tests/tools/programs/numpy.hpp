#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace lbsp::programs {

using test::TemporaryFolder;

/// Tests against NumPy, in a folder of their own; skipped where there is none.
class WithNumpy : public ::testing::Test {
 protected:
  void SetUp() override {
    // The distribution's python3 first: it is the one that python3-numpy belongs to.
    for (const char* candidate : {"/usr/bin/python3", "python3"}) {
      python_ = candidate;
      if (run("pass")) return;
    }
    GTEST_SKIP() << "no python3 with numpy here: install python3-numpy";
  }

  /// Runs a script in the test's folder, with numpy as np.
  bool run(const std::string& script) const {
    const std::string command = "cd " + folder_.path().string() + " && " + python_ +
                                " -c \"import numpy as np; " + script + "\" 2>&1";
    return std::system(command.c_str()) == 0;
  }

  TemporaryFolder folder_;
  std::string python_;
};

}  // namespace lbsp::programs
