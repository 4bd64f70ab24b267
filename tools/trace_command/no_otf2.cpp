// For builds without the library.
#include "tools/trace_command/otf2.hpp"
#include "transport/error.hpp"

namespace lbsp::trace_command {

bool can_write_otf2() {
  return false;
}

void write_otf2(const std::string&, const trace_file::Trace&, const trace_file::TimeLines&) {
  throw UsageError(
      "--to otf2: this lbsp was built without the library: install libopen-trace-format2-dev, and build it again");
}

}  // namespace lbsp::trace_command
