#pragma once

#include <string>
#include <vector>

namespace lbsp::launch::processes {

/// `lbsp exec-child PARENT PROGRAM ARGUMENTS…`: becomes the program, in a process group of its own so that a
/// terminal's ^C reaches it only through the launcher, and bound to die when its parent does, however that
/// ends. Returns only if the program cannot be started, which it tells the launcher, or else stderr.
int exec_child(int count, char** arguments);

/// The command line that has exec_child start `program` from this process.
std::vector<std::string> exec_child_command(const std::string& program,
                                            const std::vector<std::string>& arguments);

}  // namespace lbsp::launch::processes
