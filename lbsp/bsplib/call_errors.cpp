#include "lbsp/bsplib/call_errors.hpp"

#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::bsplib {

void CallErrors::refuse(std::string_view call, std::string_view what) const {
  throw UsageError(
      fmt::format("{} on rank {} in superstep {}: {}", call, world_.rank(), world_.superstep(), what));
}

void CallErrors::refuse_null(const char* call, const char* what) const {
  refuse(call, fmt::format("the {} is NULL: give an address", what));
}

void CallErrors::refuse_pid(const char* call, Number pid) const {
  refuse(call, fmt::format("there is no process {}: choose 0 to {}", pid, size_ - 1));
}

}  // namespace lbsp::bsplib
