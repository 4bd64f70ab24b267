#pragma once

#include <string_view>

#include "lbsp/bsplib/number.hpp"
#include "lbsp/world.hpp"

namespace lbsp::bsplib {

/// How the calls of one rank refuse what they are given: each throws UsageError with the call, the rank and
/// the superstep.
class CallErrors {
 public:
  /// The World must outlive it.
  explicit CallErrors(const World& world) : world_(world), size_(world.size()) {}

  /// "call on rank 1 in superstep 3: what".
  [[noreturn]] void refuse(std::string_view call, std::string_view what) const;
  /// The `what` is NULL.
  [[noreturn]] void refuse_null(const char* call, const char* what) const;
  void check_pid(const char* call, Number pid) const {
    if (pid < 0 || pid >= size_) refuse_pid(call, pid);
  }

 private:
  [[noreturn]] void refuse_pid(const char* call, Number pid) const;

  const World& world_;
  Number size_;
};

}  // namespace lbsp::bsplib
