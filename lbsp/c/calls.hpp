#pragma once

#include <string>

#include "lbsp/c/process.hpp"
#include "lbsp/c/spmd.hpp"

namespace lbsp::bsplib {

/// While it exists, the calls of bsp.h in this thread go to this Spmd, and what they find wrong is thrown
/// instead of ending the process: several ranks in one process, for tests and benchmarks.
class Attached {
 public:
  explicit Attached(Spmd& spmd);
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  ~Attached();
};

/// The rank whose calls this thread makes. Ends the process if there is none.
Spmd& current(const char* call);

/// What bsp_nprocs answers; also outside the SPMD part.
Number number_of_processes();

/// "on rank 3 in superstep 5", as far as is known.
std::string whereabouts();

/// For a catch: the error ends the process, or goes on to whoever made this thread's rank.
[[noreturn]] void end_with_error();

/// Makes a call of the SPMD part.
template <class Body>
auto in_spmd(const char* call, Body body) {
  Spmd& spmd = current(call);
  try {
    return body(spmd);
  } catch (...) {
    end_with_error();
  }
}

}  // namespace lbsp::bsplib
