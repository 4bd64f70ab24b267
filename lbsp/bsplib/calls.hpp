#pragma once

#include <string>

#include "lbsp/bsplib/process.hpp"
#include "lbsp/bsplib/spmd.hpp"

namespace lbsp::bsplib {

/// While it exists, the calls of bsp.h in this thread go to this Spmd, and what they find wrong is thrown
/// instead of ending the process: several ranks in one process, for tests and benchmarks.
class Attached {
 public:
  explicit Attached(Spmd& spmd) { spmd_ = &spmd; }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  ~Attached() { spmd_ = nullptr; }

  /// Null if there is none in this thread.
  static Spmd* spmd() { return spmd_; }

 private:
  // constinit: else every use would ask first whether it is initialised.
  static inline constinit thread_local Spmd* spmd_ = nullptr;
};

/// Ends the process: the call is one of the SPMD part, and this is not in it.
[[noreturn]] void refuse_outside(const char* call);

/// The rank whose calls this thread makes; null outside the SPMD part.
inline Spmd* current() {
  Spmd* const attached = Attached::spmd();
  return attached != nullptr ? attached : Process::running();
}

/// What bsp_nprocs answers; also outside the SPMD part.
inline Number number_of_processes() {
  const Spmd* const spmd = current();
  return spmd != nullptr ? spmd->size() : Process::instance().nprocs();
}

/// "on rank 3 in superstep 5", as far as is known.
std::string whereabouts();

/// For a catch: the error ends the process, or goes on to whoever made this thread's rank.
[[noreturn]] void end_with_error();

/// Makes a call of the SPMD part.
template <class Body>
auto in_spmd(const char* call, Body body) {
  Spmd* const spmd = current();
  if (spmd == nullptr) [[unlikely]]
    refuse_outside(call);
  try {
    return body(*spmd);
  } catch (...) {
    end_with_error();
  }
}

}  // namespace lbsp::bsplib
