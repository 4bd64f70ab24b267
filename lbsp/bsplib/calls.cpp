#include "lbsp/bsplib/calls.hpp"

#include <exception>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::bsplib {

void refuse_outside(const char* call) {
  Process& process = Process::instance();
  process.fail(
      fmt::format("{} {}: call it between bsp_begin and bsp_end", call, process.whereabouts_after_arrival()));
}

std::string whereabouts() {
  const Spmd* const attached = Attached::spmd();
  if (attached == nullptr) return Process::instance().whereabouts_after_arrival();
  return fmt::format("on rank {} in superstep {}", attached->rank(), attached->superstep());
}

void end_with_error() {
  if (Attached::spmd() != nullptr) throw;
  Process::instance().fail(std::current_exception());
}

}  // namespace lbsp::bsplib
