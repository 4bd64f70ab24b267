#pragma once

#include <string>

#include "transport/membership/member_set.hpp"

namespace lbsp::transport {

/// Why a process ends itself, so that no two worlds go on.
struct Exclusion {
  enum class Cause {
    no_quorum,     ///< it hears too few
    given_up,      ///< the others go on without it
    no_agreement,  ///< it hears enough, and yet nothing was decided for long
  };
  Cause cause = Cause::no_quorum;
  Slot answering = 0;  ///< members that it hears, itself included
  Slot members = 0;    ///< of the epoch

  friend bool operator==(const Exclusion&, const Exclusion&) = default;
};

/// One line: what is wrong: what to do.
std::string message(const Exclusion& exclusion);

}  // namespace lbsp::transport
