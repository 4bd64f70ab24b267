#pragma once

#include <cstdint>

#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow {

/// Why a token is where it is.
enum class Choice : std::uint8_t {
  local,            ///< all its inputs were there
  earliest_finish,  ///< it ends there first
  moved,            ///< from the longest queue
};

struct Placement {
  TokenId token = no_token;
  Worker worker = 0;
  Ticks start = 0;   ///< of its fetches, from the begin of the level
  Ticks finish = 0;  ///< of its computation
  Choice choice = Choice::local;
  std::uint64_t postfix = 0;  ///< bytes that must travel for it, wherever it runs
};

}  // namespace lbsp::dataflow
