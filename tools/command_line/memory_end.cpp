#include "tools/command_line/memory_end.hpp"

#include <cstdlib>

#include "transport/printable.hpp"

namespace lbsp::command_line {
namespace {

/// Takes no memory.
[[noreturn]] void end_without_memory() {
  write_error_output("lbsp: ");
  write_error_output(out_of_memory);
  write_error_output("\n");
  std::_Exit(1);
}

}  // namespace

MemoryEnd::MemoryEnd() : before_(std::set_new_handler(end_without_memory)) {}

}  // namespace lbsp::command_line
