#pragma once

#include <exception>
#include <string>

namespace lbsp {

/// Of std::bad_alloc.
inline constexpr const char* program_out_of_memory = "out of memory: use more ranks, or a smaller problem";

/// What to tell the user of an exception that left a program: one line, as printable() makes it, since a text
/// without bound or with a terminal's commands in it must not reach other ranks or the user.
std::string describe_thrown(const std::exception_ptr& thrown);

}  // namespace lbsp
