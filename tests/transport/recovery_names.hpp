#pragma once

#include <gtest/gtest.h>
#include <string>

#include "transport/options.hpp"

namespace lbsp::transport::testing {

/// The name of a test that runs with each recovery.
inline std::string recovery_name(const ::testing::TestParamInfo<Recovery>& recovery) {
  switch (recovery.param) {
    case Recovery::receiver:
      return "receiver";
    case Recovery::rounds:
      return "rounds";
    case Recovery::whole_round:
      return "whole_round";
  }
  return "unknown";
}

}  // namespace lbsp::transport::testing
