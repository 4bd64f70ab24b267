#pragma once

#include <compare>
#include <cstdint>

#include "transport/leg.hpp"

namespace lbsp::transport {

/// Names one message of an ordered pair of ranks. The order is that in which a rank goes through the legs: a
/// rank that sends in one leg has received everything addressed to it in every earlier leg.
struct MessageId {
  std::uint32_t superstep = 0;
  Leg leg = Leg::messages;

  // clang-tidy 14 takes the 0 of a defaulted comparison for a pointer.
  friend auto operator<=>(const MessageId&, const MessageId&) = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace lbsp::transport
