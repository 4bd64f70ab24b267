#include "lbsp/c/calls.hpp"

#include <exception>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::bsplib {
namespace {

thread_local Spmd* attached = nullptr;

}  // namespace

Attached::Attached(Spmd& spmd) {
  attached = &spmd;
}

Attached::~Attached() {
  attached = nullptr;
}

Spmd& current(const char* call) {
  if (attached != nullptr) return *attached;
  Process& process = Process::instance();
  if (Spmd* const spmd = process.spmd()) return *spmd;
  process.fail(
      fmt::format("{} {}: call it between bsp_begin and bsp_end", call, process.whereabouts_after_arrival()));
}

Number number_of_processes() {
  return attached != nullptr ? attached->world().size() : Process::instance().nprocs();
}

std::string whereabouts() {
  if (attached == nullptr) return Process::instance().whereabouts_after_arrival();
  return fmt::format("on rank {} in superstep {}", attached->world().rank(), attached->world().superstep());
}

void end_with_error() {
  if (attached != nullptr) throw;
  Process::instance().fail(std::current_exception());
}

}  // namespace lbsp::bsplib
