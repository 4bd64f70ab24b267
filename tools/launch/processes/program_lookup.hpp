#pragma once

#include <string>

namespace lbsp::launch::processes {

/// The file that a user means by `name`: a path, if it has a slash in it, relative to `directory`; or else a
/// ready program beside this lbsp binary; or else what PATH has. Throws UsageError, which lists the ready
/// programs, if there is no such program.
std::string find_program(const std::string& name, const std::string& directory);

}  // namespace lbsp::launch::processes
