#pragma once

#include <cstddef>
#include <string>

namespace lbsp::command_line {

/// The whole of a file that a user names: a regular file, or a pipe such as a shell's <(…). `what` is what it
/// should be: "the hosts file". Throws UsageError, which names the path, if it cannot be read, is a
/// device, which may have no end, or has more than `most` bytes.
std::string read_text_file(const std::string& path, const char* what, std::size_t most);

}  // namespace lbsp::command_line
