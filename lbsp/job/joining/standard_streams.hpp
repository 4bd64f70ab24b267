#pragma once

namespace lbsp::job::joining {

/// Puts the null device where standard input, output or error is closed. Otherwise the next file or socket
/// that is opened takes the number, and what is printed goes into that. A program's first call.
void open_standard_descriptors();

}  // namespace lbsp::job::joining
